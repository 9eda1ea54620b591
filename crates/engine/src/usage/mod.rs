//! Reports of what was used: request units by container, physical partition, logical partition, operation and query.
//!
//! Owns the document of usage, the report made of it, which requests are sampled, and what indexed paths cost. Does not
//! own the counters: see `metering`.

mod document;
mod index_sample;
mod report;
mod sampling;

pub use index_sample::{IndexPathCost, IndexSample};
pub use report::{PriceTable, candidate_partition_key, report};
