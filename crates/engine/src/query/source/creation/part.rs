//! The items of one physical partition, merged by ordinal.
//!
//! A cursor reads the list of all items or one run of terms, of one slice. An item that several runs find is returned
//! once.

use std::collections::VecDeque;

use storage::{Direction, KeyRange};

use super::run::RunSet;
use crate::error::{Error, Result};
use crate::key_layout::{TERMS, TermHit, TermPrefix};
use crate::query::continuation::TermPosition;
use crate::query::source::intersection::IntersectionFilter;
use crate::query::source::page_reader::PageReader;
use crate::query::source::term::TermIterator;
use crate::query::target::PartitionSlice;

/// Merges the cursors of a part.
pub(super) struct MergedPart {
    cursors: Vec<RunCursor>,
    /// Those of the branches, for each slice.
    filters: Vec<IntersectionFilter>,
}

/// What was read of a part at once.
pub(super) struct MergedHits {
    /// In the order of ordinals.
    pub(super) hits: Vec<TermHit>,
    /// Everything up to this ordinal was read; `None` if nothing was.
    pub(super) reached: Option<u64>,
}

struct RunCursor {
    entries: RunEntries,
    /// The filter of its branch.
    filter: Option<usize>,
    buffer: VecDeque<TermHit>,
    /// The last ordinal that was read, before the filter.
    read_to: Option<u64>,
    is_at_end: bool,
}

enum RunEntries {
    /// The list of all items.
    Listed(Box<ListedItems>),
    Terms(Box<TermIterator>),
}

/// Reads the list of all items of a slice.
struct ListedItems {
    slice: PartitionSlice,
    prefix: TermPrefix,
    range: KeyRange,
}

impl MergedPart {
    /// All items of some slices, after an ordinal.
    pub(super) fn listed(slices: &[PartitionSlice], after: Option<u64>) -> Self {
        let cursors = slices.iter().map(|slice| {
            let prefix = TermPrefix::creation(slice.logical.as_ref());
            let range = prefix.after(&[], after);
            let listed = ListedItems { slice: slice.clone(), prefix, range };
            RunCursor::new(RunEntries::Listed(Box::new(listed)), None)
        });
        Self { cursors: cursors.collect(), filters: Vec::new() }
    }

    /// The items that runs find in some slices, after an ordinal.
    pub(super) async fn of_runs(
        reader: &mut PageReader,
        slices: &[PartitionSlice],
        set: &RunSet,
        after: Option<u64>,
    ) -> Result<Self> {
        let (mut cursors, mut filters) = (Vec::new(), Vec::new());
        for slice in slices {
            let first_filter = filters.len();
            for branch in &set.branches {
                let after =
                    after.map(|ordinal| TermPosition { value: Default::default(), ordinal });
                filters
                    .push(IntersectionFilter::open(reader, slice, branch, after.as_ref()).await?);
            }
            for run in &set.runs {
                let iterator = run.open(slice, after);
                let entries = RunEntries::Terms(Box::new(iterator));
                cursors.push(RunCursor::new(entries, Some(first_filter + run.branch)));
            }
        }
        Ok(Self { cursors, filters })
    }

    /// Reads on, if there is nothing to take.
    pub(super) async fn fill(&mut self, reader: &mut PageReader, wanted: usize) -> Result<()> {
        // Together the cursors read about what is wanted, as if there was one.
        let chunk = wanted.div_ceil(self.cursors.len().max(1));
        for cursor in &mut self.cursors {
            if cursor.buffer.is_empty() && !cursor.is_at_end {
                cursor.refill(reader, &mut self.filters, chunk).await?;
            }
        }
        Ok(())
    }

    /// Takes items that were read, at most as many as wanted. There may be none before the end, if the filters reject
    /// what was read.
    pub(super) fn take(&mut self, wanted: usize) -> MergedHits {
        // Beyond this ordinal some cursor may still find an item that comes before those in the other buffers.
        let open = self.cursors.iter().filter(|cursor| !cursor.is_at_end);
        let complete_to = open.map(|cursor| cursor.read_to.unwrap_or_default()).min();
        let mut hits: Vec<TermHit> = Vec::new();
        while hits.len() < wanted {
            let fronts = self.cursors.iter_mut().filter_map(|cursor| {
                let ordinal = cursor.buffer.front()?.ordinal;
                complete_to.is_none_or(|to| ordinal <= to).then_some((ordinal, cursor))
            });
            let Some((ordinal, cursor)) = fronts.min_by_key(|(ordinal, _)| *ordinal) else { break };
            let hit = cursor.buffer.pop_front();
            // Another run or branch finds the same item.
            if hits.last().is_none_or(|last| last.ordinal != ordinal) {
                hits.extend(hit);
            }
        }
        let last = hits.last().map(|last| last.ordinal);
        let read_to = self.cursors.iter().filter_map(|cursor| cursor.read_to).max();
        let reached = if hits.len() >= wanted { last } else { complete_to.or(read_to) };
        MergedHits { hits, reached }
    }

    /// The number of items that were read and not taken, if these are all that are left.
    pub(super) fn rest(&self) -> Option<usize> {
        let is_read = self.cursors.iter().all(|cursor| cursor.is_at_end);
        is_read.then(|| self.cursors.iter().map(|cursor| cursor.buffer.len()).sum())
    }

    /// Whether there may be more items. False is certain.
    pub(super) async fn find_more(&mut self, reader: &PageReader) -> Result<bool> {
        for cursor in &mut self.cursors {
            let is_driven = cursor.filter.and_then(|filter| self.filters.get(filter));
            let is_driven =
                is_driven.is_some_and(|filter| filter.driver_exhausted() == Some(false));
            let more = !cursor.buffer.is_empty()
                || !cursor.is_at_end && (is_driven || cursor.entries.find_more(reader).await?);
            if more {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl RunCursor {
    fn new(entries: RunEntries, filter: Option<usize>) -> Self {
        Self { entries, filter, buffer: VecDeque::new(), read_to: None, is_at_end: false }
    }

    async fn refill(
        &mut self,
        reader: &mut PageReader,
        filters: &mut [IntersectionFilter],
        wanted: usize,
    ) -> Result<()> {
        let filter = self.filter.and_then(|filter| filters.get_mut(filter));
        let hits = match (&mut self.entries, filter) {
            (RunEntries::Listed(listed), _) => {
                let (hits, read_to) = listed.read(reader, wanted).await?;
                self.is_at_end = listed.range.is_empty();
                self.read_to = read_to.or(self.read_to);
                hits
            }
            (RunEntries::Terms(iterator), filter) => {
                let driven = filter.and_then(|filter| {
                    let hits = filter.next_driver_hits(wanted)?;
                    Some((hits, filter.driver_exhausted() == Some(true)))
                });
                let hits = match driven {
                    Some((hits, is_at_end)) => {
                        self.is_at_end = is_at_end;
                        hits
                    }
                    None => {
                        let hits = iterator.next(reader, wanted).await?;
                        self.is_at_end = iterator.is_at_end();
                        hits
                    }
                };
                self.read_to = hits.last().map(|last| last.ordinal).or(self.read_to);
                hits
            }
        };
        let hits = match self.filter.and_then(|filter| filters.get(filter)) {
            Some(filter) => filter.retain(reader, hits).await?,
            None => hits,
        };
        self.buffer.extend(hits);
        Ok(())
    }
}

impl RunEntries {
    async fn find_more(&mut self, reader: &PageReader) -> Result<bool> {
        match self {
            Self::Listed(listed) => {
                // Entries of items outside the slice count as well: asking costs more than an empty page.
                reader.find_entry(listed.slice.shard(), TERMS, &listed.range).await
            }
            Self::Terms(iterator) => iterator.find_more(reader).await,
        }
    }
}

impl ListedItems {
    /// The next items of the slice, and the last ordinal that was read.
    async fn read(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<(Vec<TermHit>, Option<u64>)> {
        let shard = self.slice.shard();
        let page = reader.scan_listing(shard, self.range.clone(), wanted.max(1)).await?;
        self.range = match page.entries.last().filter(|_| page.more) {
            Some(last) => self.range.after(last.key.clone(), Direction::Forward),
            None => KeyRange::half_open(Default::default(), Default::default()),
        };
        let hits = self.prefix.decode(page.entries);
        let mut hits = hits.ok_or_else(|| Error::corrupt("the list of items is damaged"))?;
        let read_to = hits.last().map(|last| last.ordinal);
        self.slice.retain_own(&mut hits);
        Ok((hits, read_to))
    }
}
