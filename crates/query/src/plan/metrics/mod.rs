//! Which indexes a query used, and which it misses.
//!
//! Owns the index metrics report and its two header formats. It follows recorded responses of the service rather than
//! our own lookups, because people compare it with the service's documentation.

mod header;
mod report;

pub use report::{IndexMetrics, MetricIndex, index_metrics, index_metrics_with_condition};
