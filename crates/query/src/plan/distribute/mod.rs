//! Splitting a query over physical partitions.
//!
//! Owns the split of a query into the query that each partition runs and the plan that merges their rows, the query
//! plan document that describes this to clients, the features that a client needs, and what is rejected. Does not own
//! execution.

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
mod needed;

pub use direct::{DirectService, NOT_SERVED_DIRECTLY, direct_service};
pub use distributed::{DistributedQuery, PlanBody, PlanContext, distribute};
pub use feature::{Feature, FeatureSet};
pub use hybrid::HybridInfo;
pub use info::{AggregateKind, DistinctKind, QueryInfo};
pub use order_by::ordered_rows_text;
