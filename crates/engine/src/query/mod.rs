//! Queries: a text in, pages of rows out.
//!
//! Owns the way from a query to its rows: which part of the container is read (`part`), by which access (`source`),
//! how rows fill a page (`page`) and where the next page goes on (`token`). Items are merged across physical
//! partitions before rows are made of them, so there is one run of a query and not one per partition. Does not own
//! the language, the plan or evaluation: those are the crate `query`, which is pure.

mod answer;
mod bill;
mod direct;
mod explain;
mod part;
mod plan_document;
mod prepared;
mod refusal;
mod request;
mod serve;
mod statement;
mod token;
mod user_function;
mod values;

mod page;
mod source;

pub use ::query::Parameters;
pub use ::query::plan::distribute::FeatureSet;
pub use ::query::plan::metrics::IndexMetrics;
pub use answer::{QueryExplanation, QueryMetrics, QueryPage};
pub use direct::DirectQuery;
pub use request::{PlanQuery, QueryItems, QueryLimits};

pub(crate) use prepared::{TextCache, moment};
pub(crate) use source::ShapeCache;
pub(crate) use statement::StatementCache;
