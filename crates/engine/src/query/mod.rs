//! Queries: from query text to pages of rows.
//!
//! The stages of a query, each with a type of its own:
//!
//! 1. parsed: the syntax tree, cached by text (`prepare`);
//! 2. bound and analyzed: names resolved, the filter as conditions on paths (`AnalyzedQuery` in `planned`);
//! 3. prepared: an analyzed query that many requests share, with its latest plan (`PreparedQuery` in `prepare`);
//! 4. planned: the access plan for the indexes that a request finds (`PlannedQuery` in `planned`);
//! 5. executed: the parts of the container to read (`target`), candidates from an index or scan (`source`), rows on a
//!    page (`page`), and the continuation token of the next page (`continuation`). `execute` runs these steps.
//!
//! Candidates of all physical partitions are merged before rows are computed, so a query runs once, not once per
//! partition. Language, plans and evaluation are the crate `query`, which is pure.

mod charge;
mod continuation;
mod distribute;
mod error;
mod evaluation;
mod execute;
mod explain;
mod in_transaction;
mod planned;
mod request;
mod response;
mod resume;
mod target;
mod values;

mod page;
mod prepare;
mod source;

pub use ::query::plan::distribute::FeatureSet;
pub use ::query::plan::metrics::IndexMetrics;
pub use ::query::{Parameters, ROW_TEXT_BYTES_MAX};
pub use distribute::DirectQuery;
pub use request::{PlanQuery, QueryItems, QueryLimits};
pub use response::{QueryExplanation, QueryMetrics, QueryPage};

#[cfg(any(test, fuzzing))]
pub(crate) use continuation::check_progress;
pub(crate) use error::evaluation_failed;
pub(crate) use evaluation::to_query_time;
pub(crate) use page::ResultStore;
pub(crate) use prepare::{ParsedQueryCache, PreparedQueryCache};
pub(crate) use source::ShapeCache;
