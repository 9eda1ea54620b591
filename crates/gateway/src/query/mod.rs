//! Queries: run one page, or return the plan for a client that merges.
//!
//! Owns the body of a query, the policy for queries over all partitions, and the headers with metrics. Does not own the
//! query language.

mod body;
mod explain;
mod metrics;
mod plan;
mod run;
mod token;

pub(crate) use body::QueryRequestBody;
pub(crate) use explain::explain_query;
pub(crate) use plan::plan_query;
pub(crate) use run::run_query;
