//! What a page of a query is charged for.
//!
//! Owns the counts of the bill while a page is filled. They follow the plan that the service would run, not the
//! shortcuts of this engine: an item that the index could have left out costs an index entry, rows made of terms cost
//! the items they stand for, and an order that no composite index serves costs the entries of its index. Does not own
//! the metrics, which count what is really touched, nor a price.

use ::query::bind::Grouping;
use ::query::plan::access::{CompositeLookup, IndexOnly, Lookup, OrderAccess};
use ::query::plan::condition::{ItemPath, ValueSet};
use model::charge::QueryCounters;
use storage::Shard;

use super::prepared::Prepared;
use super::source::{Content, Source};
use crate::charge::own_bytes_of_many;
use crate::outcome::Usage;

/// The counts of one page.
#[derive(Default)]
pub(in crate::query) struct Bill {
    pub(in crate::query) counters: QueryCounters,
    visited: Vec<Shard>,
    /// What the partitions of the query hold.
    held: Vec<(Shard, Usage)>,
    passed_over: PassedOver,
    order: OrderWalk,
    /// Whether rows come from index entries alone, and each costs one.
    is_of_entries: bool,
}

/// What it costs to look at an item in vain.
#[derive(Clone, Copy, Default, PartialEq)]
enum PassedOver {
    /// It was loaded to be asked.
    #[default]
    Scanned,
    /// An index entry that another one excludes.
    Entry,
}

/// What it costs that rows come in an order.
#[derive(Clone, Copy, Default)]
enum OrderWalk {
    /// Nothing: they need none, or the index that finds them has it.
    #[default]
    None,
    /// An index entry for each item looked at.
    EachItem,
    /// The entries of an index that the items found are spread over evenly.
    Spread { entries: u64, found: u64, given: u64 },
}

impl Bill {
    pub(in crate::query) fn new(held: Vec<(Shard, Usage)>) -> Self {
        Self { held, ..Self::default() }
    }

    /// Something was read in a physical partition.
    pub(in crate::query) fn visit(&mut self, shard: Shard) {
        if self.visited.last() != Some(&shard) && !self.visited.contains(&shard) {
            self.visited.push(shard);
        }
    }

    /// What the plan says before anything is read. `lookup` is the one that is carried out, `charged` the one that is
    /// paid for: a condition on the partition key may be in the second only.
    pub(in crate::query) fn plan(
        &mut self,
        prepared: &Prepared,
        source: &Source,
        lookup: &Lookup,
        charged: &Lookup,
    ) {
        let access = &prepared.access;
        let is_scan = matches!(source, Source::Scan(_));
        let order = OrderService::of(&access.order, lookup);
        let is_ordered = matches!(source, Source::Ordered(_) | Source::Sorted(_));
        let mut lookups = match (&access.order, order) {
            (OrderAccess::Composite { index, .. }, OrderService::Served) if is_ordered => {
                let composite = prepared.indexes.composites().get(*index);
                let is_part = |path: &ItemPath| {
                    composite.is_some_and(|composite| {
                        composite.paths.iter().any(|part| part.path.segments() == path.as_slice())
                    })
                };
                1 + seeks(charged, &|path| !is_part(path), &|other| other.index != *index)
            }
            _ => {
                let own = u64::from(is_ordered && order != OrderService::Served);
                own + seeks(charged, &|_| true, &|_| true)
            }
        };
        if !is_scan {
            lookups = lookups.max(1);
        }
        self.counters.lookups = lookups;
        self.counters.uses_index = lookups > 0;
        if !is_scan && access.remaining.is_empty() {
            self.passed_over = PassedOver::Entry;
        }
        let is_distinct = prepared.bound().output.distinct;
        self.is_of_entries = is_distinct || prepared.bound().grouping != Grouping::None;
        self.order = match source {
            Source::Ordered(_) if order == OrderService::Filtered => OrderWalk::EachItem,
            Source::Sorted(sorted) if order == OrderService::Filtered => OrderWalk::Spread {
                entries: self.entries_of(sorted.read_parts(), sorted.found()),
                found: sorted.found(),
                given: sorted.given(),
            },
            _ => OrderWalk::None,
        };
        if let OrderWalk::Spread { entries, found: 0, .. } = self.order {
            self.counters.index_entries += entries;
        }
    }

    /// The entries of an order over these parts: every item of a physical partition that is read whole, else those
    /// that the filter has found.
    fn entries_of(&self, parts: &[(Shard, bool)], found: u64) -> u64 {
        let mut whole: Vec<Shard> =
            parts.iter().filter(|(_, is_whole)| *is_whole).map(|(shard, _)| *shard).collect();
        whole.dedup();
        if whole.is_empty() || whole.len() < parts.len() {
            return found;
        }
        let held = self.held.iter().filter(|(shard, _)| whole.contains(shard));
        held.map(|(_, usage)| usage.items).sum()
    }

    /// An item whose rows are on the page.
    pub(in crate::query) fn returned(&mut self, content: &Content) {
        self.ordered();
        if self.is_of_entries {
            self.counters.tuples += 1;
            return;
        }
        self.counters.loaded_items += 1;
        self.counters.loaded_bytes += self.bytes(content);
    }

    /// An item without a row on the page.
    pub(in crate::query) fn passed_over(&mut self, content: &Content) {
        self.ordered();
        match self.passed_over {
            PassedOver::Scanned => self.scanned(content),
            // An order that walks over each item has counted it.
            PassedOver::Entry if !matches!(self.order, OrderWalk::None) => {}
            PassedOver::Entry => self.counters.index_entries += 1,
        }
    }

    /// An item that went into a group, into distinct rows or into rows that are sorted as a whole.
    pub(in crate::query) fn gathered(&mut self, content: &Content, index_only: Option<&IndexOnly>) {
        if self.is_of_entries {
            self.counters.tuples += 1;
            if index_only.is_some() && self.passed_over == PassedOver::Entry {
                return;
            }
        }
        if let Content::Record(_) = content {
            self.scanned(content);
        }
    }

    /// Of the items gathered, those whose rows are on the page were loaded for more than a look.
    pub(in crate::query) fn returned_rows(&mut self, rows: u64) {
        if self.is_of_entries {
            return;
        }
        let counters = &mut self.counters;
        let (items, bytes) = (counters.scanned_items, counters.scanned_bytes);
        let rows = rows.min(items);
        let loaded_bytes = (bytes * rows).checked_div(items).unwrap_or(0);
        (counters.loaded_items, counters.loaded_bytes) = (rows, loaded_bytes);
        (counters.scanned_items, counters.scanned_bytes) = (items - rows, bytes - loaded_bytes);
    }

    /// The counts, everything being read.
    pub(in crate::query) fn finished(&self) -> QueryCounters {
        QueryCounters { partitions: self.visited.len().max(1) as u64, ..self.counters }
    }

    fn scanned(&mut self, content: &Content) {
        self.counters.scanned_items += 1;
        self.counters.scanned_bytes += self.bytes(content);
    }

    fn ordered(&mut self) {
        match &mut self.order {
            OrderWalk::None => {}
            OrderWalk::EachItem => self.counters.index_entries += 1,
            OrderWalk::Spread { entries, found, given } => {
                let share = |given: u64| (*entries * given).checked_div(*found).unwrap_or(0);
                self.counters.index_entries += share(*given + 1) - share(*given);
                *given += 1;
            }
        }
    }

    /// The bytes of an item; of one that the index stands for, those of an average one.
    fn bytes(&self, content: &Content) -> u64 {
        match content {
            Content::Record(record) => record.own_bytes() as u64,
            Content::Indexed(_) => {
                let all = self.held.iter().fold(Usage::default(), |sum, (_, one)| Usage {
                    items: sum.items + one.items,
                    item_bytes: sum.item_bytes + one.item_bytes,
                });
                let bytes = own_bytes_of_many(all.item_bytes, all.items);
                bytes.checked_div(all.items).unwrap_or(0)
            }
        }
    }
}

/// How an index that has the order of a query serves its filter.
#[derive(Clone, Copy, PartialEq)]
enum OrderService {
    /// There is no filter to serve, or no such order.
    Unfiltered,
    /// It finds by the filter what it orders.
    Served,
    /// The filter is served by another index.
    Filtered,
}

impl OrderService {
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
        if serves { Self::Served } else { Self::Filtered }
    }
}

/// The seeks of a lookup: IN of k values is k.
fn seeks(
    lookup: &Lookup,
    counts_path: &dyn Fn(&ItemPath) -> bool,
    counts_composite: &dyn Fn(&CompositeLookup) -> bool,
) -> u64 {
    match lookup {
        Lookup::Everything => 0,
        Lookup::Nothing => 1,
        Lookup::Path(condition) if counts_path(&condition.path) => ranges(&condition.values),
        Lookup::Composite(lookup) if counts_composite(lookup) => {
            lookup.next.as_ref().map_or(1, ranges)
        }
        Lookup::Path(_) | Lookup::Composite(_) => 0,
        Lookup::Intersection(parts) | Lookup::Union(parts) => {
            parts.iter().map(|part| seeks(part, counts_path, counts_composite)).sum()
        }
    }
}

fn ranges(values: &ValueSet) -> u64 {
    let points = values.as_points().map(|points| points.len());
    points.unwrap_or_else(|| values.ranges().len() + usize::from(values.undefined)).max(1) as u64
}
