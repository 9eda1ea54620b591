//! From the document of usage to conclusions: what is hot, what is expensive, what would help, what it would cost.
//!
//! Owns the report and its findings. Pure: a document in, a report out, wherever the document came from. Does not own
//! counting.

mod build;
mod candidate;
mod indexes;
mod member;
mod prices;
mod provision;
mod share;

pub use build::report;
pub use candidate::candidate_partition_key;
pub use prices::PriceTable;
