//! Intersects several lookups before items are loaded.
//!
//! All lookups are read side by side, a few terms of each, then more, until one of them has ended: which one finds the
//! fewest items is then known, at a cost in proportion to that one, however the filter is written. A lookup that was
//! read completely filters by its items, and the smallest of them replaces the terms of the main lookup where the order
//! of the items allows it; the main lookup is then probed, term by term. Other lookups of few values are probed too, and
//! the rest is left to the filter of the query.

use std::collections::{BTreeMap, VecDeque};

use storage::StorageKey;

use super::page_reader::PageReader;
use super::term::{LookupBranch, TermIndex, TermIterator, TermScan, is_one_value};
use crate::error::Result;
use crate::key_layout::{TermHit, TermPrefix};
use crate::query::continuation::TermPosition;
use crate::query::target::PartitionSlice;

/// How many terms of each lookup are read, as long as all of them have more.
const PROBED_TERMS: [usize; 3] = [32, 128, 512];

/// The same when a page goes on whose items were collected before.
const RESUMED_TERMS_MAX: usize = 100_000;

/// The most values of one lookup that are probed: each is a read for each item.
const PROBED_VALUES_MAX: usize = 8;

/// The order in which a caller reads items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemOrder {
    /// Of ordinals: whatever finds the items may drive.
    Creation,
    /// Of the values of the main lookup.
    Values,
    /// None: all items are collected at once, as on an earlier page. Items may have been added since, so that more terms
    /// are read to find a lookup that ends.
    Collected,
}

/// A value of a path or of a composite index: the prefix and the bytes of its terms.
type ProbedValue = (TermPrefix, Vec<u8>);

/// Filters the terms of a branch by its additional lookups.
#[derive(Default)]
pub(super) struct IntersectionFilter {
    slice: Option<PartitionSlice>,
    /// Lookups that were read completely: ordinals with item keys, the smallest one first.
    small_sets: Vec<BTreeMap<u64, StorageKey>>,
    /// Lookups of few values: an item needs a term of one of them.
    probes: Vec<Vec<ProbedValue>>,
    /// The remaining items of the smallest lookup, if they replace the terms of the branch.
    driver: Option<VecDeque<TermHit>>,
}

impl IntersectionFilter {
    pub(super) async fn open(
        reader: &mut PageReader,
        slice: &PartitionSlice,
        branch: &LookupBranch,
        (order, after): (ItemOrder, Option<&TermPosition>),
    ) -> Result<Self> {
        if branch.also.is_empty() {
            return Ok(Self::default());
        }
        let values = few_values(slice, std::slice::from_ref(&branch.terms));
        let values = values.filter(|_| branch.condition.test.is_none());
        // The terms of a single value are in ordinal order. Those of several are read from the start, because a
        // position in the order of creation is none among them.
        let single = values.as_deref().and_then(|values| <&[_; 1]>::try_from(values).ok());
        let main_after = match (order, single) {
            (_, Some([(_, value)])) => after
                .map(|after| TermPosition { value: value.clone().into(), ordinal: after.ordinal }),
            (ItemOrder::Values, None) => after.cloned(),
            (ItemOrder::Creation | ItemOrder::Collected, None) => None,
        };
        let mut main = branch.condition.test.is_none().then(|| {
            LookupProbe::new(slice, std::slice::from_ref(&branch.terms), main_after.as_ref())
        });
        let others = branch.also.iter().map(|scans| {
            let scans: Vec<TermScan> = scans.iter().map(|(_, terms)| terms.clone()).collect();
            (LookupProbe::new(slice, &scans, None), scans)
        });
        let mut others: Vec<(LookupProbe, Vec<TermScan>)> = others.collect();
        let resumed = (order == ItemOrder::Collected).then_some(RESUMED_TERMS_MAX);
        for terms_max in PROBED_TERMS.into_iter().chain(resumed) {
            let mut has_ended = false;
            for probe in main.iter_mut().chain(others.iter_mut().map(|(probe, _)| probe)) {
                probe.read(reader, terms_max).await?;
                has_ended |= probe.has_ended();
            }
            if has_ended {
                break;
            }
        }
        let mut filter = Self { slice: Some(slice.clone()), ..Self::default() };
        for (probe, scans) in others {
            match probe.has_ended() {
                true => filter.small_sets.push(probe.into_items()),
                // Too large to read in advance: probe it if it has few values, else leave it to the filter.
                false => filter.probes.extend(few_values(slice, &scans)),
            }
        }
        // The smallest set first: it rejects most, and the first one may become the driver.
        filter.small_sets.sort_by_key(BTreeMap::len);
        let from = after.map_or(0, |after| after.ordinal.saturating_add(1));
        if let Some(main) = main.filter(LookupProbe::has_ended) {
            // Read already, so that its terms need not be read again.
            filter.driver = Some(match order {
                ItemOrder::Values | ItemOrder::Collected => main.hits.into(),
                ItemOrder::Creation => sort_by_creation(main.hits, from),
            });
        } else if order == ItemOrder::Creation || single.is_some() {
            filter.drive_by_smallest(values, from);
        }
        Ok(filter)
    }

    /// Lets the smallest set replace the terms of the main lookup, which is then probed. Its items come in the order of
    /// creation.
    fn drive_by_smallest(&mut self, values: Option<Vec<ProbedValue>>, from: u64) {
        let (Some(values), Some(smallest)) = (values, self.small_sets.first()) else { return };
        let value = match values.as_slice() {
            [(_, only)] => only.clone(),
            // Which of them an item has is not known before it is probed, and nobody asks.
            _ => Vec::new(),
        };
        let hits = smallest.range(from..).map(|(ordinal, key)| TermHit {
            value: value.clone().into(),
            ordinal: *ordinal,
            key: key.clone(),
        });
        self.driver = Some(hits.collect());
        self.probes.push(values);
    }

    /// The items of the smallest set, if it cannot drive because the main lookup has too many values to probe. The
    /// caller must check the main condition on the items. In the order of creation.
    pub(super) fn smallest_set(&self) -> Option<Vec<TermHit>> {
        if self.driver.is_some() {
            return None;
        }
        let hits = self.small_sets.first()?.iter().map(|(ordinal, key)| TermHit {
            value: Default::default(),
            ordinal: *ordinal,
            key: key.clone(),
        });
        Some(hits.collect())
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
        for values in &self.probes {
            let keys = hits.iter().flat_map(|hit| {
                values.iter().map(|(prefix, value)| prefix.key(value, Some(hit.ordinal)))
            });
            let keys: Vec<StorageKey> = keys.collect();
            let found = reader.probe_terms(slice.shard(), &keys).await?;
            let mut found = found.chunks(values.len().max(1));
            // `retain` visits in order, and the answers are in the order of the keys. A missing answer keeps the hit:
            // the filter decides.
            hits.retain(|_| found.next().is_none_or(|found| found.contains(&true)));
        }
        Ok(hits)
    }
}

/// Sorts terms by ordinal, from one on; an item that several terms find is there once.
fn sort_by_creation(mut hits: Vec<TermHit>, from: u64) -> VecDeque<TermHit> {
    hits.retain(|hit| hit.ordinal >= from);
    hits.sort_by_key(|hit| hit.ordinal);
    hits.dedup_by_key(|hit| hit.ordinal);
    hits.into()
}

/// A lookup of which the first terms are read.
struct LookupProbe {
    /// One for each of its scans.
    iterators: VecDeque<TermIterator>,
    hits: Vec<TermHit>,
}

impl LookupProbe {
    fn new(slice: &PartitionSlice, scans: &[TermScan], after: Option<&TermPosition>) -> Self {
        let iterators = scans.iter().map(|terms| TermIterator::new(slice, terms, after));
        Self { iterators: iterators.collect(), hits: Vec::new() }
    }

    /// Reads until there are so many terms, or no more.
    async fn read(&mut self, reader: &mut PageReader, terms_max: usize) -> Result<()> {
        while let Some(first) = self.iterators.front_mut() {
            if first.has_ended() {
                self.iterators.pop_front();
                continue;
            }
            let Some(wanted) = terms_max.checked_sub(self.hits.len()).filter(|left| *left > 0)
            else {
                return Ok(());
            };
            self.hits.extend(first.next(reader, wanted).await?);
        }
        Ok(())
    }

    /// Whether all of its terms were read.
    fn has_ended(&self) -> bool {
        self.iterators.iter().all(TermIterator::has_ended)
    }

    fn into_items(self) -> BTreeMap<u64, StorageKey> {
        self.hits.into_iter().map(|hit| (hit.ordinal, hit.key)).collect()
    }
}

/// The items of the smallest of all lookups of a branch, if it has fewer than `terms_max` terms. Items that other
/// lookups exclude are among them.
pub(super) async fn smallest_lookup(
    reader: &mut PageReader,
    slice: &PartitionSlice,
    branch: &LookupBranch,
    terms_max: usize,
) -> Result<Option<BTreeMap<u64, StorageKey>>> {
    let main = LookupProbe::new(slice, std::slice::from_ref(&branch.terms), None);
    let others = branch.also.iter().map(|scans| {
        let scans: Vec<TermScan> = scans.iter().map(|(_, terms)| terms.clone()).collect();
        LookupProbe::new(slice, &scans, None)
    });
    let mut probes: Vec<LookupProbe> = std::iter::once(main).chain(others).collect();
    let steps = PROBED_TERMS.into_iter().filter(|step| *step < terms_max).chain([terms_max]);
    for terms_max in steps {
        for probe in &mut probes {
            probe.read(reader, terms_max).await?;
        }
        let ended = probes.iter().position(LookupProbe::has_ended);
        if let Some(ended) = ended {
            return Ok(Some(probes.swap_remove(ended).into_items()));
        }
    }
    Ok(None)
}

/// The values of scans that have few of them, and no others; `None` if some have more, or a range.
fn few_values(slice: &PartitionSlice, scans: &[TermScan]) -> Option<Vec<ProbedValue>> {
    let mut values = Vec::new();
    for terms in scans {
        let prefix = match &terms.index {
            TermIndex::Path(path) => TermPrefix::path(slice.logical.as_ref(), path),
            TermIndex::Composite(number) => TermPrefix::composite(slice.logical.as_ref(), *number),
        };
        if terms.absent || values.len() + terms.ranges.len() > PROBED_VALUES_MAX {
            return None;
        }
        for range in &terms.ranges {
            if !is_one_value(&terms.paths, range) {
                return None;
            }
            values.push((prefix.clone(), range.0.clone()));
        }
    }
    (!values.is_empty()).then_some(values)
}
