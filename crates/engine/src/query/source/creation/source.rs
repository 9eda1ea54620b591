//! Items in the order of creation, one physical partition after the other.
//!
//! Reads the list of all items, or the runs of a lookup. The slices of one physical partition are merged. Some slices
//! have no such order: a part of a physical partition, whose items are scattered over its list, and a partition of an
//! older store that is not listed yet. A scan reads those by key, and sorts them if all of them are read at once.
//!
//! The continuation position is an epk range and an ordinal. It does not depend on the access path: whatever finds
//! items in this order can go on from it.

use std::collections::VecDeque;
use std::sync::Arc;

use model::{EffectivePartitionKey, EpkRange};
use storage::{Shard, StorageKey};

use super::part::{MergedHits, MergedPart};
use super::run::{RUNS_MAX, RunSet};
use crate::creation_order::{CreationPosition, ReadRange};
use crate::error::Result;
use crate::key_layout::{ITEMS, TermHit};
use crate::query::continuation::ContinuationPosition;
use crate::query::error::invalid_token;
use crate::query::source::candidate::{Candidate, CandidateBatch, ItemContent};
use crate::query::source::index_values::IndexValues;
use crate::query::source::item_loader::ItemLoader;
use crate::query::source::page_reader::PageReader;
use crate::query::source::scan::{ScanSource, is_below};
use crate::query::target::PartitionSlice;
use crate::record::ItemRecord;

/// Entries of the list that are read at once.
const LISTED_MAX: usize = 1_000;

/// Reads the slices of a query in the order of creation.
pub(in crate::query) struct CreationOrderSource {
    /// `None` for all items.
    runs: Option<RunSet>,
    pending: VecDeque<PendingPart>,
    current: Option<ActivePart>,
    /// The physical partition that was read last.
    last_shard: Option<Shard>,
    loader: ItemLoader,
}

/// Slices of one physical partition that are still to be read.
struct PendingPart {
    slices: Vec<PartitionSlice>,
    start: PartStart,
}

#[derive(Clone, PartialEq)]
enum PartStart {
    Beginning,
    /// After an ordinal.
    Ordinal(u64),
    /// After a key: an earlier page has read by key.
    Key(StorageKey),
}

struct ActivePart {
    slices: Vec<PartitionSlice>,
    order: PartOrder,
    /// Whether nothing of it was read before.
    is_fresh: bool,
}

enum PartOrder {
    Created(MergedPart),
    Keys(ScanSource),
}

impl ActivePart {
    fn shard(&self) -> Shard {
        self.slices.first().map_or(Shard(0), PartitionSlice::shard)
    }
}

impl CreationOrderSource {
    /// Reads all items.
    pub(in crate::query::source) fn scan(
        slices: &[PartitionSlice],
        position: Option<&CreationPosition>,
    ) -> Self {
        Self::new(slices, None, None, position)
    }

    /// Reads all items after a key, up to which an earlier page has read by key.
    pub(in crate::query::source) fn scan_after(
        slices: &[PartitionSlice],
        after: &StorageKey,
    ) -> Self {
        let mut source = Self::new(slices, None, None, None);
        source.pending.clear();
        for slice in slices {
            let keys = slice.item_keys();
            let start = match keys.contains(after) {
                true => PartStart::Key(after.clone()),
                // Slices are sorted by epk: the earlier ones were read, the later ones not.
                false if is_below(&keys, after) => continue,
                false => PartStart::Beginning,
            };
            source.add(slice.clone(), start);
        }
        source
    }

    /// Reads what a lookup finds.
    pub(in crate::query::source) fn lookup(
        slices: &[PartitionSlice],
        runs: RunSet,
        values: Option<IndexValues>,
        position: Option<&CreationPosition>,
    ) -> Self {
        Self::new(slices, Some(runs), values, position)
    }

    fn new(
        slices: &[PartitionSlice],
        runs: Option<RunSet>,
        values: Option<IndexValues>,
        position: Option<&CreationPosition>,
    ) -> Self {
        // The values of a term are those of its item only if the item has no other term in the lookup.
        let is_unique = runs.as_ref().is_some_and(|set| match set.branches.as_slice() {
            [only] => !only.condition.is_multi_valued(),
            _ => false,
        });
        let loader = ItemLoader::new(values.filter(|_| is_unique));
        let pending = VecDeque::new();
        let mut source = Self { runs, pending, current: None, last_shard: None, loader };
        for slice in slices {
            let whole = vec![(slice.range.clone(), None)];
            let unread = position.map_or(whole, |position| position.unread(&slice.range));
            for (range, after) in unread {
                let start = after.map_or(PartStart::Beginning, PartStart::Ordinal);
                source.add(PartitionSlice { range, ..slice.clone() }, start);
            }
        }
        source
    }

    /// Adds a slice to the last part, if both are in one physical partition and begin alike.
    fn add(&mut self, slice: PartitionSlice, start: PartStart) {
        let runs = self.runs.as_ref().map_or(1, |set| set.runs.len());
        match self.pending.back_mut() {
            Some(last)
                if last.start == start
                    && last.slices.iter().all(|other| other.shard() == slice.shard())
                    && (last.slices.len() + 1) * runs <= RUNS_MAX =>
            {
                last.slices.push(slice);
            }
            _ => self.pending.push_back(PendingPart { slices: vec![slice], start }),
        }
    }

    /// Whether all items are read, and not those of a lookup.
    pub(in crate::query) fn is_scan(&self) -> bool {
        self.runs.is_none()
    }

    pub(in crate::query) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<CandidateBatch> {
        let Some(mut part) = self.open(reader).await? else {
            return Ok(CandidateBatch { candidates: Vec::new(), reached: None, is_last: true });
        };
        let shard = part.shard();
        self.last_shard = Some(shard);
        let (mut batch, is_at_end) = match &mut part.order {
            PartOrder::Keys(scan) => {
                let mut batch = scan.next(reader, wanted).await?;
                let is_at_end = batch.is_last;
                // All of it, so that it can be sorted. A position of that order needs the list to go on from.
                if is_at_end && part.is_fresh && reader.is_listed(shard) {
                    self.sort(&part.slices, &mut batch);
                }
                (batch, is_at_end)
            }
            PartOrder::Created(merged) => {
                let most = if self.runs.is_none() { LISTED_MAX } else { reader.batch_size(wanted) };
                merged.fill(reader, wanted.min(most)).await?;
                // One slice that was read to its end, and nothing of it before: it has these items and no others.
                let whole = match part.slices.as_slice() {
                    [only] if part.is_fresh && self.runs.is_none() => merged.rest().zip(Some(only)),
                    _ => None,
                };
                let whole = whole.filter(|(rest, _)| reader.is_small(shard, *rest));
                let read = merged.take(whole.map_or(reader.batch_size(wanted), |(rest, _)| rest));
                let is_at_end = merged.rest() == Some(0);
                let whole = whole.map(|(_, slice)| slice);
                let contents = self.load(reader, shard, whole, &read.hits).await?;
                (self.batch(&part.slices, read, contents), is_at_end)
            }
        };
        part.is_fresh = false;
        self.current = (!is_at_end).then_some(part);
        batch.is_last = self.current.is_none() && self.pending.is_empty();
        Ok(batch)
    }

    /// Loads items. `whole` is their slice, if it has no others.
    async fn load(
        &mut self,
        reader: &mut PageReader,
        shard: Shard,
        whole: Option<&PartitionSlice>,
        hits: &[TermHit],
    ) -> Result<Vec<Option<ItemContent>>> {
        if self.runs.is_some() {
            let mut hits: Vec<_> = hits.iter().map(|hit| (shard, hit.clone())).collect();
            return self.loader.load_contents(reader, &mut hits).await;
        }
        if let Some(slice) = whole
            && let Some(contents) = load_slice(reader, slice, hits).await?
        {
            return Ok(contents);
        }
        let keys: Vec<StorageKey> = hits.iter().map(|hit| hit.key.clone()).collect();
        let records = reader.load_scanned(shard, &keys).await?;
        Ok(records.into_iter().map(|record| record.map(ItemContent::Record)).collect())
    }

    fn batch(
        &self,
        slices: &[PartitionSlice],
        read: MergedHits,
        contents: Vec<Option<ItemContent>>,
    ) -> CandidateBatch {
        let position = PartPosition::new(slices, &self.pending);
        let reached = read.reached.map(|ordinal| position.after(ordinal));
        let candidates = read.hits.into_iter().zip(contents).filter_map(|(hit, content)| {
            let (ordinal, content) = (hit.ordinal, content?);
            Some(Candidate { ordinal, content, position: position.after(ordinal) })
        });
        CandidateBatch { candidates: candidates.collect(), reached, is_last: false }
    }

    /// Sorts a complete slice that was read by key.
    fn sort(&self, slices: &[PartitionSlice], batch: &mut CandidateBatch) {
        batch.candidates.sort_by_key(|candidate| candidate.ordinal);
        let position = PartPosition::new(slices, &self.pending);
        for candidate in &mut batch.candidates {
            candidate.position = position.after(candidate.ordinal);
        }
    }

    /// Whether the next items are in another physical partition than the last ones.
    pub(in crate::query) fn is_at_partition_end(&self) -> bool {
        let next = self.pending.front().and_then(|part| part.slices.first());
        let next = next.map(PartitionSlice::shard);
        let is_between = self.current.is_none() && next.is_some() && self.last_shard.is_some();
        is_between && next != self.last_shard
    }

    /// Whether there may be more items.
    pub(in crate::query) async fn find_more(&mut self, reader: &PageReader) -> Result<bool> {
        let more = match self.current.as_mut().map(|part| &mut part.order) {
            Some(PartOrder::Created(merged)) => merged.find_more(reader).await?,
            Some(PartOrder::Keys(scan)) => scan.find_more(reader).await?,
            None => false,
        };
        if more || self.runs.is_some() {
            return Ok(more || !self.pending.is_empty());
        }
        for part in &self.pending {
            for slice in &part.slices {
                let (shard, keys) = (slice.shard(), slice.item_keys());
                // A slice that was begun may have nothing left, but asking costs more than an empty page.
                let is_begun = part.start != PartStart::Beginning;
                if is_begun || reader.find_entry(shard, ITEMS, &keys).await? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The part to read: the current one, or the next.
    async fn open(&mut self, reader: &mut PageReader) -> Result<Option<ActivePart>> {
        if let Some(current) = self.current.take() {
            return Ok(Some(current));
        }
        let Some(PendingPart { mut slices, start }) = self.pending.pop_front() else {
            return Ok(None);
        };
        let after = match &start {
            PartStart::Ordinal(after) => Some(*after),
            PartStart::Beginning | PartStart::Key(_) => None,
        };
        let is_fresh = start == PartStart::Beginning;
        if let Some(set) = &self.runs {
            let merged = MergedPart::of_runs(reader, &slices, set, after).await?;
            return Ok(Some(ActivePart { slices, order: PartOrder::Created(merged), is_fresh }));
        }
        let is_listed = slices.iter().all(|slice| reader.is_listed(slice.shard()));
        // The list of a physical partition has the items of other slices as well. A fresh page does not read those; a
        // page that was begun in this order, before a merge, must go on in it.
        let is_own = |slice: &PartitionSlice| slice.logical.is_some() || slice.is_whole_partition();
        let has_list = is_listed && (after.is_some() || slices.iter().all(is_own));
        if has_list && !matches!(start, PartStart::Key(_)) {
            let merged = MergedPart::listed(&slices, after);
            return Ok(Some(ActivePart { slices, order: PartOrder::Created(merged), is_fresh }));
        }
        if after.is_some() {
            return Err(invalid_token("the indexing policy has changed since"));
        }
        // By key, slice after slice.
        let rest = slices.split_off(1);
        if !rest.is_empty() {
            let start = PartStart::Beginning;
            self.pending.push_front(PendingPart { slices: rest, start });
        }
        let after = match &start {
            PartStart::Key(after) => Some(after),
            _ => None,
        };
        let scan = ScanSource::new(&slices, after);
        Ok(Some(ActivePart { slices, order: PartOrder::Keys(scan), is_fresh }))
    }
}

/// Makes the positions after items of a part. Parts that an older position had partially read remain in them.
struct PartPosition {
    range: Arc<EpkRange>,
    above: Arc<[ReadRange]>,
}

impl PartPosition {
    fn new(slices: &[PartitionSlice], pending: &VecDeque<PendingPart>) -> Self {
        let mut above = Vec::new();
        for part in pending {
            // Parts that were not begun need no entry: everything above the last entry counts as unread.
            let PartStart::Ordinal(ordinal) = part.start else { break };
            above.push(ReadRange { range: hull(&part.slices), ordinal });
        }
        Self { range: Arc::new(hull(slices)), above: above.into() }
    }

    fn after(&self, ordinal: u64) -> ContinuationPosition {
        let (range, above) = (Arc::clone(&self.range), Arc::clone(&self.above));
        ContinuationPosition::Created(CreationPosition { range, ordinal, above })
    }
}

/// The range from the first to the last of some slices. A part has at least one.
fn hull(slices: &[PartitionSlice]) -> EpkRange {
    let min = slices.first().map(|first| first.range.min.clone());
    let max = slices.last().map(|last| last.range.max.clone());
    let none = EffectivePartitionKey::MIN;
    EpkRange { min: min.unwrap_or(none.clone()), max: max.unwrap_or(none) }
}

/// Loads all items of a slice, which are neighbours: one scan instead of a read for each. `None` if they are too large
/// to be read at once.
async fn load_slice(
    reader: &mut PageReader,
    slice: &PartitionSlice,
    hits: &[TermHit],
) -> Result<Option<Vec<Option<ItemContent>>>> {
    let page = reader.scan_items(slice.shard(), slice.item_keys(), hits.len()).await?;
    if page.more {
        return Ok(None);
    }
    let mut records = Vec::with_capacity(hits.len());
    for entry in page.entries {
        let record = ItemRecord::decode(entry.value)?;
        records.push((record.header.position.ordinal, reader.visible_record(record)));
    }
    records.sort_by_key(|(ordinal, _)| *ordinal);
    let mut records = records.into_iter().peekable();
    let contents = hits.iter().map(|hit| {
        let known = records.next_if(|(ordinal, _)| *ordinal == hit.ordinal);
        known.and_then(|(_, record)| record).map(ItemContent::Record)
    });
    Ok(Some(contents.collect()))
}
