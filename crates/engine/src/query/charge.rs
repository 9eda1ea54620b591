//! Counts what a page of a query is charged for.
//!
//! The counts follow the plan that the service would run, not the shortcuts of this engine: an item that an index could
//! have excluded costs an index entry, a row built from terms costs the item that the terms represent, and an order
//! that no composite index provides costs the entries of the index that orders it. `QueryMetrics` in contrast counts
//! what is actually read. Prices are in `model::charge`.

use ::query::bind::Grouping;
use ::query::plan::access::{CompositeLookup, IndexOnly, Lookup, OrderAccess};
use ::query::plan::condition::{ItemPath, ValueSet};
use model::charge::QueryCounters;
use storage::Shard;

use super::planned::PlannedQuery;
use super::source::{CandidateSource, ItemContent};
use crate::record::own_bytes_of_many;
use crate::response::Usage;

/// Accumulates the charge counters of one page.
#[derive(Default)]
pub(in crate::query) struct ChargeAccumulator {
    pub(in crate::query) counters: QueryCounters,
    /// Physical partitions that were read.
    visited: Vec<Shard>,
    /// Item count and size of each partition of the query.
    partition_sizes: Vec<(Shard, Usage)>,
    rejected_cost: RejectedItemCost,
    order_cost: OrderCost,
    /// Whether rows come from index entries alone (DISTINCT, GROUP BY, aggregates): each row then costs a tuple.
    is_of_entries: bool,
}

/// What an item costs that the filter rejects.
#[derive(Clone, Copy, Default, PartialEq)]
enum RejectedItemCost {
    /// It was loaded and evaluated.
    #[default]
    Scanned,
    /// One index entry: the service would exclude it with a second index.
    IndexEntry,
}

/// What the order of the rows costs.
#[derive(Clone, Copy, Default)]
enum OrderCost {
    /// Nothing: no order is requested, or the index that finds the items has it.
    #[default]
    None,
    /// One index entry for each item considered.
    PerItem,
    /// All entries of an index, spread evenly over the items found, so that the pages of a query add up to it.
    Spread { entries: u64, found: u64, returned: u64 },
}

impl ChargeAccumulator {
    pub(in crate::query) fn new(partition_sizes: Vec<(Shard, Usage)>) -> Self {
        Self { partition_sizes, ..Self::default() }
    }

    /// The average size of the items of a partition.
    pub(in crate::query) fn average_bytes(&self, shard: Shard) -> Option<u64> {
        let (_, usage) = self.partition_sizes.iter().find(|(known, _)| *known == shard)?;
        usage.item_bytes.checked_div(usage.items)
    }

    /// Records that a physical partition was read.
    pub(in crate::query) fn record_partition(&mut self, shard: Shard) {
        // Reads of one partition mostly follow each other, so the last entry is compared first.
        if self.visited.last() != Some(&shard) && !self.visited.contains(&shard) {
            self.visited.push(shard);
        }
    }

    /// Derives the fixed part of the charge from the plan, before anything is read.
    ///
    /// `lookup` is the lookup that runs, `charged` the one that is paid for: inside a logical partition, conditions on
    /// the partition key are dropped from the first but still charged.
    pub(in crate::query) fn apply_plan(
        &mut self,
        planned: &PlannedQuery,
        source: &CandidateSource,
        lookup: &Lookup,
        charged: &Lookup,
    ) {
        let access = &planned.access;
        let is_scan = source.is_scan();
        // From the lookup that runs: a condition on the partition key that was dropped needs no second index.
        let order = OrderFilter::of(&access.order, lookup);
        // A sorted lookup is charged like the read in index order that it replaces: which of both runs depends on how
        // many items there are, and the price of a query must not jump with that.
        let is_ordered = matches!(source, CandidateSource::Ordered(_) | CandidateSource::Sorted(_));
        let mut lookups = match (&access.order, order) {
            (OrderAccess::Composite { index, .. }, OrderFilter::SameIndex) if is_ordered => {
                let composite = planned.indexes.composites().get(*index);
                let is_part = |path: &ItemPath| {
                    composite.is_some_and(|composite| {
                        composite.paths.iter().any(|part| part.path.segments() == path.as_slice())
                    })
                };
                1 + count_seeks(charged, &|path| !is_part(path), &|other| other.index != *index)
            }
            _ => {
                // One more seek for the index that provides the order, unless the filter already seeks in it.
                let own = u64::from(is_ordered && order != OrderFilter::SameIndex);
                own + count_seeks(charged, &|_| true, &|_| true)
            }
        };
        // The service needs at least one seek for any query that does not scan.
        if !is_scan {
            lookups = lookups.max(1);
        }
        self.counters.lookups = lookups;
        self.counters.uses_index = lookups > 0;
        // With no filter left to evaluate, the service would reject items by intersecting indexes.
        if !is_scan && access.remaining.is_empty() {
            self.rejected_cost = RejectedItemCost::IndexEntry;
        }
        let is_distinct = planned.bound().output.distinct;
        self.is_of_entries = is_distinct || planned.bound().grouping != Grouping::None;
        self.order_cost = match source {
            CandidateSource::Ordered(_) if order == OrderFilter::OtherIndex => OrderCost::PerItem,
            CandidateSource::Sorted(sorted) if order == OrderFilter::OtherIndex => {
                OrderCost::Spread {
                    entries: self.order_entries(sorted.slices_read(), sorted.found()),
                    found: sorted.found(),
                    returned: sorted.returned_before(),
                }
            }
            _ => OrderCost::None,
        };
        // An empty page still pays for walking the order.
        if let OrderCost::Spread { entries, found: 0, .. } = self.order_cost {
            self.counters.index_entries += entries;
        }
    }

    /// The number of entries of an order over these slices: all items of the physical partitions if each is read
    /// completely, otherwise only the items that the filter found.
    fn order_entries(&self, slices: &[(Shard, bool)], found: u64) -> u64 {
        let mut whole: Vec<Shard> =
            slices.iter().filter(|(_, is_whole)| *is_whole).map(|(shard, _)| *shard).collect();
        // Slices are sorted by epk, so those of one partition are adjacent.
        whole.dedup();
        if whole.is_empty() || whole.len() < slices.len() {
            return found;
        }
        let partition_sizes =
            self.partition_sizes.iter().filter(|(shard, _)| whole.contains(shard));
        partition_sizes.map(|(_, usage)| usage.items).sum()
    }

    /// Counts an item with rows on the page.
    pub(in crate::query) fn add_returned(&mut self, content: &ItemContent) {
        self.add_order_entry();
        if self.is_of_entries {
            self.counters.tuples += 1;
            return;
        }
        self.counters.loaded_items += 1;
        self.counters.loaded_bytes += self.bytes(content);
    }

    /// Counts an item without a row on the page.
    pub(in crate::query) fn add_rejected(&mut self, content: &ItemContent) {
        self.add_order_entry();
        match self.rejected_cost {
            RejectedItemCost::Scanned => self.add_scanned(content),
            // The order was charged an entry for this item already.
            RejectedItemCost::IndexEntry if !matches!(self.order_cost, OrderCost::None) => {}
            RejectedItemCost::IndexEntry => self.counters.index_entries += 1,
        }
    }

    /// Counts an item that went into a group, into DISTINCT or into a sort of the complete result.
    pub(in crate::query) fn add_gathered(
        &mut self,
        content: &ItemContent,
        index_only: Option<&IndexOnly>,
    ) {
        if self.is_of_entries {
            self.counters.tuples += 1;
            if index_only.is_some() && self.rejected_cost == RejectedItemCost::IndexEntry {
                return;
            }
        }
        if let ItemContent::Record(_) = content {
            self.add_scanned(content);
        }
    }

    /// Reclassifies gathered items: those with rows on the page were loaded, not only scanned. Which items those are is
    /// unknown after grouping or sorting, so the page gets its share of the bytes.
    pub(in crate::query) fn count_returned_rows(&mut self, rows: u64) {
        if self.is_of_entries {
            return;
        }
        let counters = &mut self.counters;
        let (items, bytes) = (counters.scanned_items, counters.scanned_bytes);
        let rows = rows.min(items);
        // Bytes that one page has read times its rows: far below 2^64.
        let loaded_bytes = (bytes * rows).checked_div(items).unwrap_or(0);
        (counters.loaded_items, counters.loaded_bytes) = (rows, loaded_bytes);
        (counters.scanned_items, counters.scanned_bytes) = (items - rows, bytes - loaded_bytes);
    }

    /// Counts rows of a result that an earlier page computed and paid for.
    pub(in crate::query) fn count_stored_rows(&mut self, rows: u64) {
        self.counters.tuples += rows;
    }

    /// The final counters, once everything is read.
    pub(in crate::query) fn totals(&self) -> QueryCounters {
        QueryCounters { partitions: self.visited.len().max(1) as u64, ..self.counters }
    }

    fn add_scanned(&mut self, content: &ItemContent) {
        self.counters.scanned_items += 1;
        self.counters.scanned_bytes += self.bytes(content);
    }

    fn add_order_entry(&mut self) {
        match &mut self.order_cost {
            OrderCost::None => {}
            OrderCost::PerItem => self.counters.index_entries += 1,
            OrderCost::Spread { entries, found, returned } => {
                let share = |returned: u64| (*entries * returned).checked_div(*found).unwrap_or(0);
                // The difference of two rounded totals, not a rounded share: over all pages the shares add up to
                // `entries` exactly.
                self.counters.index_entries += share(*returned + 1) - share(*returned);
                *returned += 1;
            }
        }
    }

    /// The size of an item. For an item represented by index values, the average size of the partitions' items.
    fn bytes(&self, content: &ItemContent) -> u64 {
        match content {
            ItemContent::Record(record) => record.own_bytes() as u64,
            ItemContent::Indexed(_) => {
                let all =
                    self.partition_sizes.iter().fold(Usage::default(), |sum, (_, one)| Usage {
                        items: sum.items + one.items,
                        item_bytes: sum.item_bytes + one.item_bytes,
                    });
                let bytes = own_bytes_of_many(all.item_bytes, all.items);
                bytes.checked_div(all.items).unwrap_or(0)
            }
        }
    }
}

/// How the index that provides the order relates to the filter.
#[derive(Clone, Copy, PartialEq)]
enum OrderFilter {
    /// No filter, or no order from an index.
    Unfiltered,
    /// The same index finds the items and orders them.
    SameIndex,
    /// The filter uses another index.
    OtherIndex,
}

impl OrderFilter {
    fn of(order: &OrderAccess, lookup: &Lookup) -> Self {
        let serves = match order {
            OrderAccess::Unordered | OrderAccess::Sorted => return Self::Unfiltered,
            _ if lookup.is_everything() => return Self::Unfiltered,
            OrderAccess::Path { path, .. } => {
                matches!(lookup, Lookup::Path(condition) if condition.path == *path)
            }
            OrderAccess::Composite { equal, next, serves_filter, .. } => {
                *serves_filter && (!equal.is_empty() || !next.is_all())
            }
        };
        if serves { Self::SameIndex } else { Self::OtherIndex }
    }
}

/// The number of seeks of a lookup: IN with k values takes k.
fn count_seeks(
    lookup: &Lookup,
    counts_path: &dyn Fn(&ItemPath) -> bool,
    counts_composite: &dyn Fn(&CompositeLookup) -> bool,
) -> u64 {
    match lookup {
        Lookup::Everything => 0,
        Lookup::Nothing => 1,
        Lookup::Path(condition) if counts_path(&condition.path) => count_ranges(&condition.values),
        Lookup::Composite(lookup) if counts_composite(lookup) => {
            lookup.next.as_ref().map_or(1, count_ranges)
        }
        Lookup::Path(_) | Lookup::Composite(_) => 0,
        Lookup::Intersection(parts) | Lookup::Union(parts) => {
            parts.iter().map(|part| count_seeks(part, counts_path, counts_composite)).sum()
        }
    }
}

/// The number of points or ranges of a set of values.
fn count_ranges(values: &ValueSet) -> u64 {
    let points = values.as_points().map(|points| points.len());
    // An empty set still costs the seek that finds nothing.
    points.unwrap_or_else(|| values.ranges().len() + usize::from(values.undefined)).max(1) as u64
}
