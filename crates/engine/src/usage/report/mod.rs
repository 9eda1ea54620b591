//! Turns a usage document into a report: what is hot, what is expensive, what would help, and what it would cost.
//!
//! A pure function of the document, wherever it came from. Counting belongs to the rest of `usage`.

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
