//! What a query gives: rows with counts of what was touched, or words about its plan.
//!
//! Owns the answers as plain data. Does not own their form on the wire.

use std::time::Duration;

use ::query::plan::PartitionFilter;
use ::query::plan::access::AccessPlan;
use ::query::plan::metrics::IndexMetrics;
use bytes::Bytes;
use model::EpkRange;

/// One page of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryPage {
    /// The JSON text of each row.
    pub rows: Vec<Bytes>,
    /// Where the next page starts; absent at the end.
    pub continuation: Option<String>,
    /// What was touched.
    pub metrics: QueryMetrics,
    /// Which indexes the query used or misses; none when nobody asked for it.
    pub index_metrics: Option<IndexMetrics>,
}

/// What one page has touched: counts, not estimates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryMetrics {
    /// Index terms read.
    pub index_entries: u64,
    /// Index terms read that led to an item or were counted in its place.
    pub index_hits: u64,
    /// Seeks: ranges of terms that were opened.
    pub index_seeks: u64,
    /// Items loaded because a term named them.
    pub items_loaded: u64,
    /// Items read one after the other, without an index.
    pub items_scanned: u64,
    /// Items loaded and scanned.
    pub retrieved_items: u64,
    /// Bytes of their text.
    pub retrieved_bytes: u64,
    /// Rows of the page.
    pub output_items: u64,
    /// Bytes of their text.
    pub output_bytes: u64,
    /// Whether items were read without an index.
    pub full_scan: bool,
    /// From text to plan.
    pub compile_time: Duration,
    /// Reading terms.
    pub index_time: Duration,
    /// Loading and scanning items.
    pub load_time: Duration,
    /// All of the page.
    pub total_time: Duration,
}

/// How a query would run.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryExplanation {
    /// Which partition keys it can meet.
    pub partition_filter: PartitionFilter,
    /// The physical partitions that would be read: number, and the part of the epks.
    pub partitions: Vec<(u32, EpkRange)>,
    /// How an index serves it.
    pub access: AccessPlan,
    /// The same in words: how items are found, what remains to be asked of them, how rows are ordered and put
    /// together.
    pub words: Vec<String>,
    /// Which indexes the query uses or misses.
    pub index_metrics: IndexMetrics,
}
