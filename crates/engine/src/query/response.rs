//! Results of query operations: pages of rows with their metrics, and query explanations.
//!
//! Plain data; the wire form belongs to the gateway.

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
    /// Whether an index was read backwards: then items with equal values come in the reverse order of their creation.
    pub is_reversed: bool,
    /// What the engine read to produce the page.
    pub metrics: QueryMetrics,
    /// Which indexes the query used or would have needed; `None` unless requested.
    pub index_metrics: Option<IndexMetrics>,
}

/// What the engine read to produce one page. Exact counts, not estimates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryMetrics {
    /// Index terms read.
    pub index_entries: u64,
    /// Index terms read that led to an item or were used instead of it.
    pub index_hits: u64,
    /// Seeks: ranges of terms that were opened.
    pub index_seeks: u64,
    /// Items loaded because a term named them.
    pub items_loaded: u64,
    /// Items read sequentially, without an index.
    pub items_scanned: u64,
    /// Items loaded and scanned.
    pub retrieved_items: u64,
    /// Bytes of JSON text of the items loaded and scanned.
    pub retrieved_bytes: u64,
    /// Rows of the page.
    pub output_items: u64,
    /// Bytes of JSON text of the rows.
    pub output_bytes: u64,
    /// Whether items were read without an index.
    pub full_scan: bool,
    /// Time from query text to plan.
    pub compile_time: Duration,
    /// Time spent reading index terms.
    pub index_time: Duration,
    /// Time spent loading and scanning items.
    pub load_time: Duration,
    /// Time spent on the whole page.
    pub total_time: Duration,
}

/// How a query would run.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryExplanation {
    /// Which partition keys can match the filter.
    pub partition_filter: PartitionFilter,
    /// The physical partitions that would be read: number and epk range.
    pub partitions: Vec<(u32, EpkRange)>,
    /// How the indexes are used.
    pub access: AccessPlan,
    /// The same as sentences: how items are found, which filters remain, how rows are ordered and projected.
    pub words: Vec<String>,
    /// Which indexes the query uses or would need.
    pub index_metrics: IndexMetrics,
}
