//! Queries on the wire: run one page, or plan for a client that merges.
//!
//! Owns the body of a query, the policy for queries over all partitions, and the headers of metrics. Does not own the
//! language.

mod metrics;
mod plan;
mod run;
mod text;

pub(crate) use plan::plan;
pub(crate) use run::run;
pub(crate) use text::QueryText;
