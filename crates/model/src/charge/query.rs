//! The charge of one page of a query.
//!
//! Owns the counters that determine the charge of a page, and the constants of the formula. Each constant has at most
//! four decimals, so that [`RequestCharge`] represents the charge exactly. Does not count: the engine does.

use super::explanation::{ChargeTerm, TermDetail};
use super::profile::consistency_factor;
use crate::{ConsistencyLevel, RequestCharge};

/// What one page of a query has touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryCounters {
    /// Physical partitions read; at least one.
    pub partitions: u64,
    /// Whether an index was used.
    pub uses_index: bool,
    /// Seeks for equalities and ranges in each partition. IN with k values counts k; the partition key of the request
    /// counts none.
    pub lookups: u64,
    /// Items loaded and returned.
    pub loaded_items: u64,
    /// Bytes of their text without system properties.
    pub loaded_bytes: u64,
    /// Items loaded without an index, only to be filtered or aggregated.
    pub scanned_items: u64,
    /// Bytes of their text without system properties.
    pub scanned_bytes: u64,
    /// Index entries scanned: values tested by CONTAINS and similar functions, or an ORDER BY over a filtered set
    /// without a composite index for both.
    pub index_entries: u64,
    /// Joined tuples, aggregated entries and array elements iterated.
    pub tuples: u64,
    /// Searches of a vector index; each is charged in each partition.
    pub vector_searches: u64,
}

/// The constants of the formula, in ten-thousandths of a request unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryConstants {
    /// Parse, plan and open; also the charge of an empty page without a filter.
    pub base: u64,
    /// First use of the index in a page.
    pub first_index_use: u64,
    /// One seek.
    pub lookup: u64,
    /// An item returned.
    pub loaded_item: u64,
    /// A kilobyte returned.
    pub loaded_kilobyte: u64,
    /// An item scanned.
    pub scanned_item: u64,
    /// A kilobyte scanned.
    pub scanned_kilobyte: u64,
    /// An index entry scanned.
    pub index_entry: u64,
    /// A tuple.
    pub tuple: u64,
    /// One search of a vector index for at most 50 neighbours.
    pub vector_search: u64,
}

/// The constants of this version of the model.
pub const QUERY_CONSTANTS: QueryConstants = QueryConstants {
    base: 22_500,
    first_index_use: 4_300,
    lookup: 1_050,
    loaded_item: 190,
    loaded_kilobyte: 400,
    scanned_item: 139,
    scanned_kilobyte: 82,
    index_entry: 41,
    tuple: 14,
    vector_search: 420_000,
};

impl QueryCounters {
    /// The charge of the page.
    #[must_use]
    pub fn charge(&self, level: ConsistencyLevel) -> RequestCharge {
        let prices = &QUERY_CONSTANTS;
        let base = self.base_charge();
        let sum =
            base + items(
                self.loaded_items,
                self.loaded_bytes,
                prices.loaded_item,
                prices.loaded_kilobyte,
            ) + items(
                self.scanned_items,
                self.scanned_bytes,
                prices.scanned_item,
                prices.scanned_kilobyte,
            ) + count(self.index_entries, prices.index_entry)
                + count(self.tuples, prices.tuple);
        sum.times(consistency_factor(level))
    }

    /// What is charged in each partition, regardless of the result.
    fn base_charge(&self) -> RequestCharge {
        let prices = &QUERY_CONSTANTS;
        let each = count(1, prices.base)
            + count(u64::from(self.uses_index), prices.first_index_use)
            + count(self.lookups, prices.lookup)
            + count(self.vector_searches, prices.vector_search);
        // A query over several partitions is one query in each of them.
        each.times(self.partitions.max(1))
    }

    /// The terms of the charge, without those that are zero. They add up to the charge.
    #[must_use]
    pub fn terms(&self, level: ConsistencyLevel) -> Vec<ChargeTerm> {
        let prices = &QUERY_CONSTANTS;
        let partitions = self.partitions.max(1);
        let counted = |name, number: u64, price| {
            ChargeTerm::new(name, TermDetail::Count(number), count(number, price))
        };
        let sized = |name, number: u64, bytes, (item, kilobyte)| {
            let detail = TermDetail::Items { count: number, bytes };
            ChargeTerm::new(name, detail, items(number, bytes, item, kilobyte))
        };
        let index_uses = partitions * u64::from(self.uses_index);
        let loaded = (prices.loaded_item, prices.loaded_kilobyte);
        let scanned = (prices.scanned_item, prices.scanned_kilobyte);
        let mut terms = vec![
            counted("base", partitions, prices.base),
            counted("firstIndexUse", index_uses, prices.first_index_use),
            counted("lookups", partitions * self.lookups, prices.lookup),
            counted("vectorSearches", partitions * self.vector_searches, prices.vector_search),
            sized("loaded", self.loaded_items, self.loaded_bytes, loaded),
            sized("scanned", self.scanned_items, self.scanned_bytes, scanned),
            counted("indexEntries", self.index_entries, prices.index_entry),
            counted("tuples", self.tuples, prices.tuple),
        ];
        terms.retain(|term| term.charge != RequestCharge::ZERO);
        // Last, because the factor multiplies all terms before it.
        terms.extend(ChargeTerm::of_consistency(level, &terms));
        terms
    }
}

/// A count multiplied by a price in ten-thousandths of a request unit.
fn count(number: u64, price: u64) -> RequestCharge {
    // A ten-thousandth of a request unit is 21 parts.
    RequestCharge::from_parts(number.saturating_mul(price).saturating_mul(21))
}

fn items(number: u64, bytes: u64, item: u64, kilobyte: u64) -> RequestCharge {
    // Multiplied before the division, which rounds down once per page and not once per item.
    let bytes = RequestCharge::from_parts(bytes.saturating_mul(kilobyte * 21) / 1024);
    count(number, item) + bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTERS: QueryCounters = QueryCounters {
        partitions: 3,
        uses_index: true,
        lookups: 2,
        loaded_items: 7,
        loaded_bytes: 1234,
        scanned_items: 11,
        scanned_bytes: 54_321,
        index_entries: 99,
        tuples: 1000,
        vector_searches: 1,
    };

    #[test]
    fn terms_add_up_to_the_charge() {
        for level in [ConsistencyLevel::Session, ConsistencyLevel::Strong] {
            for counters in [COUNTERS, QueryCounters::default()] {
                let sum: RequestCharge = counters.terms(level).iter().map(|term| term.charge).sum();
                assert_eq!(sum, counters.charge(level), "{counters:?}");
            }
        }
    }

    #[test]
    fn an_empty_page_costs_its_opening_in_each_partition() {
        let page = QueryCounters { partitions: 2, ..QueryCounters::default() };
        assert_eq!(page.charge(ConsistencyLevel::Session).to_string(), "4.5");
        assert_eq!(page.charge(ConsistencyLevel::BoundedStaleness).to_string(), "9");
        let none = QueryCounters::default();
        assert_eq!(none.charge(ConsistencyLevel::Eventual).to_string(), "2.25");
    }
}
