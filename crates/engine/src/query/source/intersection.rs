//! Intersects several lookups before items are loaded.
//!
//! All lookups are read side by side, a few terms of each, then more, until one of them has ended: which one finds the
//! fewest items is then known, at a cost in proportion to that one. A lookup that was read completely filters by its
//! items; a lookup of one value is probed term by term; any other is left to the filter of the query. If the main
//! lookup has one value, its items come in ordinal order, so a small other lookup can drive: its items are probed in
//! the main lookup instead.

use std::collections::{BTreeMap, VecDeque};

use storage::StorageKey;

use super::page_reader::PageReader;
use super::term::{
    LookupBranch, TermIndex, TermIterator, TermScan, TermValue, decode_value, successor,
};
use crate::error::Result;
use crate::key_layout::{TermHit, TermPrefix};
use crate::query::continuation::TermPosition;
use crate::query::target::PartitionSlice;

/// How many terms of each lookup are read, as long as all of them have more.
const PROBED_TERMS: [usize; 3] = [32, 128, 512];

/// Filters the terms of a branch by its additional lookups.
#[derive(Default)]
pub(super) struct IntersectionFilter {
    slice: Option<PartitionSlice>,
    /// Lookups that were read completely: ordinals with item keys.
    small_sets: Vec<BTreeMap<u64, StorageKey>>,
    /// Lookups of one value: prefix and value of the terms to probe.
    probes: Vec<(TermPrefix, Vec<u8>)>,
    /// The remaining items of the smallest lookup, if they replace the terms of the branch.
    driver: Option<VecDeque<TermHit>>,
}

impl IntersectionFilter {
    pub(super) async fn open(
        reader: &mut PageReader,
        slice: &PartitionSlice,
        branch: &LookupBranch,
        after: Option<&TermPosition>,
    ) -> Result<Self> {
        if branch.also.is_empty() {
            return Ok(Self::default());
        }
        let mut filter = Self { slice: Some(slice.clone()), ..Self::default() };
        let main = single_value(slice, &branch.terms).filter(|_| branch.condition.test.is_none());
        let mut main_probe = main.as_ref().map(|(_, value)| {
            let at = |after: &TermPosition| TermPosition {
                value: value.clone().into(),
                ordinal: after.ordinal,
            };
            LookupProbe::new(slice, &branch.terms, after.map(at).as_ref())
        });
        let others = branch.also.iter().map(|(_, terms)| LookupProbe::new(slice, terms, None));
        let mut others: Vec<LookupProbe> = others.collect();
        for terms_max in PROBED_TERMS {
            let mut has_ended = false;
            for probe in main_probe.iter_mut().chain(&mut others) {
                probe.read(reader, terms_max).await?;
                has_ended |= probe.has_ended();
            }
            if has_ended {
                break;
            }
        }
        for (probe, (_, terms)) in others.into_iter().zip(&branch.also) {
            match probe.has_ended() {
                true => filter.small_sets.push(probe.into_items()),
                // Too large to read in advance: probe it if it has one value, else leave it to the filter.
                false => filter.probes.extend(single_value(slice, terms)),
            }
        }
        // The smallest set first: it rejects most, and the first one may become the driver.
        filter.small_sets.sort_by_key(BTreeMap::len);
        if let Some(probe) = main_probe.filter(LookupProbe::has_ended) {
            // Read already, so that its terms need not be read again.
            filter.driver = Some(probe.hits.into());
            return Ok(filter);
        }
        // The terms of a single value are in ordinal order, so the smallest set can replace them without changing the
        // order of the items.
        if let (Some((prefix, value)), Some(smallest)) = (main, filter.small_sets.first()) {
            let from = after.map_or(0, |after| after.ordinal.saturating_add(1));
            let hits = smallest.range(from..).map(|(ordinal, key)| TermHit {
                value: value.clone().into(),
                ordinal: *ordinal,
                key: key.clone(),
            });
            filter.driver = Some(hits.collect());
            // The driver replaces the terms of the branch, so the branch itself becomes a condition to probe.
            filter.probes.push((prefix, value));
        }
        Ok(filter)
    }

    /// The next items of the smallest lookup, if it drives.
    pub(super) fn next_driver_hits(&mut self, wanted: usize) -> Option<Vec<TermHit>> {
        let driver = self.driver.as_mut()?;
        let wanted = wanted.min(driver.len());
        Some(driver.drain(..wanted).collect())
    }

    /// Whether the smallest lookup is exhausted; `None` if it does not drive.
    pub(super) fn driver_exhausted(&self) -> Option<bool> {
        self.driver.as_ref().map(VecDeque::is_empty)
    }

    /// Keeps the terms whose items all lookups find, as far as terms can show it.
    pub(super) async fn retain(
        &self,
        reader: &mut PageReader,
        mut hits: Vec<TermHit>,
    ) -> Result<Vec<TermHit>> {
        for set in &self.small_sets {
            hits.retain(|hit| set.contains_key(&hit.ordinal));
        }
        let Some(slice) = &self.slice else { return Ok(hits) };
        for (prefix, value) in &self.probes {
            let keys: Vec<StorageKey> =
                hits.iter().map(|hit| prefix.key(value, Some(hit.ordinal))).collect();
            let found = reader.probe_terms(slice.shard(), &keys).await?;
            let mut found = found.into_iter();
            // `retain` visits in order, and the answers are in the order of the keys. A missing answer keeps the hit:
            // the filter decides.
            hits.retain(|_| found.next().unwrap_or(true));
        }
        Ok(hits)
    }
}

/// A lookup of which the first terms are read.
struct LookupProbe {
    iterator: TermIterator,
    hits: Vec<TermHit>,
}

impl LookupProbe {
    fn new(slice: &PartitionSlice, terms: &TermScan, after: Option<&TermPosition>) -> Self {
        Self { iterator: TermIterator::new(slice, terms, after), hits: Vec::new() }
    }

    /// Reads until there are so many terms, or no more.
    async fn read(&mut self, reader: &mut PageReader, terms_max: usize) -> Result<()> {
        while !self.has_ended() && self.hits.len() < terms_max {
            let wanted = terms_max - self.hits.len();
            self.hits.extend(self.iterator.next(reader, wanted).await?);
        }
        Ok(())
    }

    /// Whether all of its terms were read.
    fn has_ended(&self) -> bool {
        self.iterator.has_ended()
    }

    fn into_items(self) -> BTreeMap<u64, StorageKey> {
        self.hits.into_iter().map(|hit| (hit.ordinal, hit.key)).collect()
    }
}

/// All items of a lookup with fewer than `terms_max` terms; `None` if it has more.
pub(super) async fn collect_small(
    reader: &mut PageReader,
    slice: &PartitionSlice,
    terms: &TermScan,
    terms_max: usize,
) -> Result<Option<BTreeMap<u64, StorageKey>>> {
    let mut iterator = TermIterator::new(slice, terms, None);
    let mut found = BTreeMap::new();
    let mut read = 0;
    while !iterator.is_at_end() {
        let hits = iterator.next(reader, terms_max - read).await?;
        read += hits.len();
        found.extend(hits.into_iter().map(|hit| (hit.ordinal, hit.key)));
        // Also if it has exactly that many: whether more follow would cost another read.
        if read >= terms_max {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// The prefix and value of terms that have exactly one value.
fn single_value(slice: &PartitionSlice, terms: &TermScan) -> Option<(TermPrefix, Vec<u8>)> {
    let [(low, high)] = terms.ranges.as_slice() else { return None };
    // A range from a value to its successor contains the terms of that value and of all that begin with it. The
    // decoded length below proves that no other value can begin with these bytes.
    if terms.absent || *high != successor(low.clone()) {
        return None;
    }
    let (TermValue::Value(_), length) = decode_value(low)? else {
        return None;
    };
    let TermIndex::Path(path) = &terms.index else { return None };
    (length == low.len()).then(|| (TermPrefix::path(slice.logical.as_ref(), path), low.clone()))
}
