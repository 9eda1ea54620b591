//! The queries whose reads are counted, and their limits. Each has the same result at every data size.

use engine::operation::PageOptions;
use engine::query::{QueryItems, QueryMetrics};
use model::{FeedRange, Json, PartitionKey};
use query::Parameters;

use super::data::{customer, link, status};
use crate::Result;

/// Rows of the pages that are asked for.
const PAGE_ITEMS: usize = 20;

/// One query.
pub(super) struct QueryCase {
    /// Number and letter in the table.
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) text: &'static str,
    pub(super) scope: CaseScope,
    pub(super) page_items: usize,
    /// Rows that every run must give.
    pub(super) rows: u64,
    pub(super) limit: ReadLimit,
    /// How much slower the largest data set may be than the smallest.
    pub(super) growth_max: Option<f64>,
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseScope {
    OnePartition,
    AllPartitions,
}

/// What may be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadLimit {
    /// Terms of the index and items together; and of the items, none that is not a row of the page.
    Page {
        entries_max: u64,
        items_max: u64,
    },
    ItemsLoaded(u64),
    /// Shown without judgement.
    None,
}

pub(super) const CASES: [QueryCase; 6] = [
    QueryCase {
        name: "1",
        what: "one partition, equality, ORDER BY DESC by a composite index, page of 20",
        text: "SELECT * FROM c WHERE c.status = @status ORDER BY c.status DESC, c.created DESC",
        scope: CaseScope::OnePartition,
        page_items: PAGE_ITEMS,
        rows: 20,
        limit: ReadLimit::Page { entries_max: 40, items_max: 20 },
        growth_max: Some(1.5),
    },
    QueryCase {
        name: "1b",
        what: "the same without naming the first property in ORDER BY",
        text: "SELECT * FROM c WHERE c.status = @status ORDER BY c.created DESC",
        scope: CaseScope::OnePartition,
        page_items: PAGE_ITEMS,
        rows: 20,
        limit: ReadLimit::None,
        growth_max: None,
    },
    QueryCase {
        name: "2",
        what: "one partition, ORDER BY one property, no composite index, page of 20",
        text: "SELECT * FROM c ORDER BY c.price",
        scope: CaseScope::OnePartition,
        page_items: PAGE_ITEMS,
        rows: 20,
        limit: ReadLimit::Page { entries_max: 40, items_max: 20 },
        growth_max: Some(1.5),
    },
    QueryCase {
        name: "2b",
        what: "the same backwards",
        text: "SELECT * FROM c ORDER BY c.price DESC",
        scope: CaseScope::OnePartition,
        page_items: PAGE_ITEMS,
        rows: 20,
        limit: ReadLimit::None,
        growth_max: None,
    },
    QueryCase {
        name: "3",
        what: "all partitions, equality with 100 matches",
        text: "SELECT * FROM c WHERE c.batch = @batch",
        scope: CaseScope::AllPartitions,
        page_items: 1_000,
        rows: 100,
        limit: ReadLimit::ItemsLoaded(110),
        growth_max: None,
    },
    QueryCase {
        name: "4",
        what: "one partition, SELECT VALUE COUNT(1)",
        text: "SELECT VALUE COUNT(1) FROM c",
        scope: CaseScope::OnePartition,
        page_items: 1_000,
        rows: 1,
        limit: ReadLimit::ItemsLoaded(0),
        growth_max: None,
    },
];

impl QueryCase {
    /// The query of one run, on one of the logical partitions or batches.
    pub(super) fn query(&self, number: u64) -> Result<QueryItems> {
        let mut query = QueryItems::new(link()?, self.text);
        query.parameters = Parameters::from_iter([
            ("@status", Some(Json::from(status(number)))),
            ("@batch", Some(Json::from(i64::try_from(number)?))),
        ]);
        if self.scope == CaseScope::OnePartition {
            let key = PartitionKey::from(customer(number).as_str());
            query.feed_range = FeedRange::PartitionKey(key);
        }
        query.page = PageOptions { items_max: Some(self.page_items), continuation: None };
        Ok(query)
    }
}

impl ReadLimit {
    pub(super) fn holds(self, metrics: &QueryMetrics) -> bool {
        match self {
            Self::Page { entries_max, items_max } => {
                touched(metrics) <= entries_max && metrics.retrieved_items <= items_max
            }
            Self::ItemsLoaded(items_max) => metrics.retrieved_items <= items_max,
            Self::None => true,
        }
    }
}

impl std::fmt::Display for ReadLimit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Page { entries_max, items_max } => {
                write!(formatter, "at most {entries_max} entries, {items_max} of them items")
            }
            Self::ItemsLoaded(0) => formatter.write_str("no item"),
            Self::ItemsLoaded(items_max) => write!(formatter, "at most {items_max} items"),
            Self::None => Ok(()),
        }
    }
}

/// All that was read: index terms, and items by whatever way.
pub(super) fn touched(metrics: &QueryMetrics) -> u64 {
    metrics.index_entries + metrics.retrieved_items
}
