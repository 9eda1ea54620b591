//! Which indexes a query used, and which it misses.
//!
//! Owns the report that clients ask for with index metrics, and its two forms in headers. Follows the recorded answers
//! of the service rather than our own lookups: the report is for people who compare it with the documentation.

mod header;
mod report;

pub use report::{IndexMetrics, MetricIndex, index_metrics, index_metrics_with_condition};
