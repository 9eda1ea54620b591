//! One query, many physical partitions.
//!
//! Owns the split of a query into the query each partition runs and the recipe that puts their rows together; the
//! document that tells clients the same; which features a client needs; what is refused. Does not own the run.

mod feature;

mod info;

mod distributed;

mod build;

mod aggregate;
mod distinct_count;
mod order_by;
mod plain;

pub mod hybrid;

mod direct;
mod merge;

pub use direct::{DirectService, NOT_SERVED_DIRECTLY, direct_service};
pub use distributed::{DistributedQuery, PlanContext, QueryBody, distribute};
pub use feature::{Feature, FeatureSet};
pub use hybrid::HybridInfo;
pub use info::{AggregateKind, DistinctKind, QueryInfo};
pub use merge::{Combine, GroupPayload, MergePlan};
