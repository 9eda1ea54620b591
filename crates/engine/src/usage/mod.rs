//! Reports of what was used: request units by container, physical partition, logical partition, operation and query.
//!
//! Owns the document of usage, the report made of it, and which requests are sampled. Does not own the counters:
//! see `metering`.

mod document;
mod report;
mod sampling;

pub use report::{PriceTable, candidate_partition_key, report};
