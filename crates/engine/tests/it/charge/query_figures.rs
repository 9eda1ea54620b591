//! The published figures of queries.

use model::charge::QueryCounters;
use model::{ConsistencyLevel, RequestCharge};

use super::published::Published;

/// A page that finds items by an index: so many seeks, so many items of so many bytes.
pub(super) fn found(lookups: u64, items: u64, bytes: u64) -> QueryCounters {
    QueryCounters {
        partitions: 1,
        uses_index: true,
        lookups,
        loaded_items: items,
        loaded_bytes: items * bytes,
        ..QueryCounters::default()
    }
}

/// A page that reads items without an index and returns none.
pub(super) fn scanned(items: u64, bytes_of_all: u64) -> QueryCounters {
    QueryCounters {
        partitions: 1,
        scanned_items: items,
        scanned_bytes: bytes_of_all,
        ..QueryCounters::default()
    }
}

pub(super) fn price(counters: QueryCounters) -> RequestCharge {
    counters.charge(ConsistencyLevel::Session)
}

/// A tenth of a kilobyte, so many times.
const fn tenths(count: u64) -> u64 {
    count * 1024 / 10
}

/// Every published figure of queries.
pub(super) fn figures() -> Vec<Published> {
    let mut figures = lookups();
    figures.extend(walks());
    figures.extend(estimates());
    figures.extend(obsolete());
    figures
}

fn lookups() -> Vec<Published> {
    let (id, key) = ("query by id, 1 item of 0.5 KB", "query by partition key, 1 item of 0.3 KB");
    let lab = "DP-420 lab 17";
    let page = |what: &str, source, published, counters, percent_max| {
        Published::new(what, source, published, price(counters), percent_max)
    };
    vec![
        page(id, "DP-420 lab 16", 2.83, found(1, 1, tenths(5)), 0.3),
        page(key, "courselabs", 2.82, found(1, 1, tenths(3)), 0.2),
        page("type = and id =, 1 item", lab, 2.92, found(2, 1, tenths(3)), 0.1),
        page("by key, 3 items of 0.6 KB", "third-party", 2.89, found(1, 3, tenths(6)), 0.9),
        page("type = and id IN (2)", lab, 3.06, found(3, 2, tenths(3)), 0.25),
        page("type = and id IN (3)", lab, 3.20, found(4, 3, tenths(3)), 0.25),
        page("type = and id IN (5)", lab, 3.47, found(6, 5, tenths(3)), 0.25),
        page("1 item of 9,963 bytes", "official metrics", 3.19, found(1, 1, 9963), 0.15),
        page("30 orders of 0.7 KB", "agent-kit 119", 4.20, found(1, 30, tenths(7)), 0.15),
        page("1 nutrition item of 4.1 KB", "official", 2.98, found(1, 1, tenths(41)), 0.45),
    ]
}

/// The nutrition set: 8,618 items of 4.07 KB.
pub(super) const NUTRITION_ITEMS: u64 = 8618;
pub(super) const NUTRITION_BYTES: u64 = 4167;
/// Items of one food group in the example of composite indexes.
pub(super) const GROUP_ITEMS: u64 = 35;

fn walks() -> Vec<Published> {
    let nutrition = scanned(NUTRITION_ITEMS, NUTRITION_ITEMS * NUTRITION_BYTES);
    let composite = found(1, GROUP_ITEMS, NUTRITION_BYTES);
    let plain =
        QueryCounters { index_entries: NUTRITION_ITEMS, ..found(2, GROUP_ITEMS, NUTRITION_BYTES) };
    let page = |what: &str, source, published, counters, percent_max| {
        Published::new(what, source, published, price(counters), percent_max)
    };
    let thousand = scanned(1000, tenths(2900));
    let official = scanned(60_951, 399_998_938);
    // What one form of the query costs more than the other.
    let joins = QueryCounters { tuples: 104_000, ..QueryCounters::default() };
    let gap = price(joins).saturating_sub(price(QueryCounters::default()));
    vec![
        page("scan of 1,000 items of 0.29 KB", "courselabs", 18.59, thousand, 0.4),
        page("scan of 60,951 items, 399,998,938 bytes", "official", 4059.95, official, 0.2),
        page("scan of the nutrition set", "official", 409.51, nutrition, 0.1),
        page("filter and ORDER BY another property", "official", 44.28, plain, 0.8),
        page("the same, served by a composite index", "official", 8.86, composite, 4.5),
        Published::new("JOIN of three arrays against subqueries", "official", 145.45, gap, 0.2),
    ]
}

fn estimates() -> Vec<Published> {
    let select = QueryCounters {
        partitions: 1,
        loaded_items: 200,
        loaded_bytes: tenths(586),
        ..QueryCounters::default()
    };
    let iterated = QueryCounters { tuples: 1000, ..found(1, 0, 0) };
    let page = |what: &str, source, published, counters, percent_max| {
        Published::new(what, source, published, price(counters), percent_max)
    };
    vec![
        page("query by id, 1 KB", "official, old text", 2.5, found(1, 1, 1024), 14.0),
        page("empty partition in a fan-out", "official", 2.5, found(1, 0, 0), 11.5),
        page("100 results of 1 KB, indexed", "Plan costs", 10.0, found(1, 100, 1024), 13.3),
        page("SELECT *, 200 items, 58.6 KB", "courselabs", 7.46, select, 12.6),
        page("1,000 array elements iterated", "courselabs", 4.94, iterated, 15.5),
    ]
}

/// Counts and sizes of these are assumed: the sources do not say.
fn obsolete() -> Vec<Published> {
    let (blog, old) = ("Model and partition, 2019", "official 2017");
    let page = |what, source, published, items, lookups| {
        Published::obsolete(what, source, published, price(found(lookups, items, 1024)))
    };
    vec![
        page("blog Q3, 27 items assumed", blog, 6.46, 27, 1),
        page("blog Q4, 15 items assumed", blog, 7.72, 15, 1),
        page("blog Q5, 29 items assumed", blog, 8.92, 29, 1),
        page("blog Q6, 100 items assumed", blog, 16.97, 100, 1),
        page("7 items", old, 7.0, 7, 1),
        page("100 items in order", old, 70.0, 100, 2),
        page("TOP 10", old, 10.0, 10, 1),
    ]
}

#[test]
fn every_published_figure_of_queries_is_met() {
    figures().iter().for_each(Published::check);
}
