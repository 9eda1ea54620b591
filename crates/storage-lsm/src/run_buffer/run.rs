//! One run: entries in key order, without a key twice.
//!
//! Owns building a run from the writes of a batch, finding keys in it, and joining several runs. Does not own which
//! runs exist: see `buffer`. A key here is a tree key, with its shard.

use std::ops::Bound;
use std::ops::Range;

use super::merge::MergedRuns;

/// Sorted entries in one allocation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SortedRun {
    bytes: Vec<u8>,
    /// In key order.
    entries: Vec<RunEntry>,
    /// The newest batch whose writes are in the run.
    last_batch: u64,
}

/// Where an entry is in the bytes: its key, and behind it its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RunEntry {
    start: usize,
    key_bytes: u16,
    /// `REMOVAL` if the key is removed.
    value_bytes: u32,
}

/// No value is as long as this: see `commit::batch`.
const REMOVAL: u32 = u32::MAX;

/// What a run knows of a key: its value, or `None` if the key is removed.
pub(crate) type RecentValue<'run> = Option<&'run [u8]>;

impl SortedRun {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes in memory.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<RunEntry>()
    }

    pub(crate) fn last_batch(&self) -> u64 {
        self.last_batch
    }

    /// The entry at a place in key order.
    #[inline]
    pub(crate) fn entry(&self, index: usize) -> Option<(&[u8], RecentValue<'_>)> {
        let entry = self.entries.get(index)?;
        Some((entry.key(&self.bytes), entry.value(&self.bytes)))
    }

    /// The key at a place in key order; empty behind the end.
    #[inline]
    pub(crate) fn key(&self, index: usize) -> &[u8] {
        self.entries.get(index).map_or(&[], |entry| entry.key(&self.bytes))
    }

    /// The value of a key; `None` if the run does not have the key.
    pub(crate) fn get(&self, key: &[u8]) -> Option<RecentValue<'_>> {
        let found = self.entries.binary_search_by(|entry| entry.key(&self.bytes).cmp(key));
        self.entries.get(found.ok()?).map(|entry| entry.value(&self.bytes))
    }

    /// The places of the entries inside two bounds.
    pub(crate) fn range(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> Range<usize> {
        let before = |bound: &[u8]| self.entries.partition_point(|e| e.key(&self.bytes) < bound);
        let through = |bound: &[u8]| self.entries.partition_point(|e| e.key(&self.bytes) <= bound);
        let start = match lower {
            Bound::Included(bound) => before(bound),
            Bound::Excluded(bound) => through(bound),
            Bound::Unbounded => 0,
        };
        let end = match upper {
            Bound::Included(bound) => through(bound),
            Bound::Excluded(bound) => before(bound),
            Bound::Unbounded => self.entries.len(),
        };
        start..end.max(start)
    }

    /// One run of several, which are given from the oldest to the newest. Of a key that several have, the newest entry
    /// stays.
    pub(crate) fn join<'run>(
        runs: impl DoubleEndedIterator<Item = &'run SortedRun> + Clone,
    ) -> Self {
        let mut joined = Self {
            bytes: Vec::with_capacity(runs.clone().map(|run| run.bytes.len()).sum()),
            entries: Vec::with_capacity(runs.clone().map(Self::len).sum()),
            last_batch: runs.clone().map(Self::last_batch).max().unwrap_or_default(),
        };
        for (key, value) in MergedRuns::all(runs.rev()) {
            joined.push(key, value);
        }
        joined
    }

    /// A run whose entries are pushed in key order.
    pub(super) fn of_batch(batch: u64) -> Self {
        Self { last_batch: batch, ..Self::default() }
    }

    /// Adds an entry behind all others.
    pub(super) fn push(&mut self, key: &[u8], value: RecentValue<'_>) {
        self.entries.push(push_entry(&mut self.bytes, key, value));
    }
}

impl RunEntry {
    #[inline]
    fn key<'bytes>(&self, bytes: &'bytes [u8]) -> &'bytes [u8] {
        bytes.get(self.start..self.start + usize::from(self.key_bytes)).unwrap_or_default()
    }

    #[inline]
    fn value<'bytes>(&self, bytes: &'bytes [u8]) -> RecentValue<'bytes> {
        if self.value_bytes == REMOVAL {
            return None;
        }
        let start = self.start + usize::from(self.key_bytes);
        let end = start + usize::try_from(self.value_bytes).unwrap_or_default();
        Some(bytes.get(start..end).unwrap_or_default())
    }
}

/// Lengths are checked before a write is merged into a batch, so the conversions lose nothing.
fn push_entry(bytes: &mut Vec<u8>, key: &[u8], value: RecentValue<'_>) -> RunEntry {
    let start = bytes.len();
    bytes.extend_from_slice(key);
    let value_bytes = match value {
        Some(value) => {
            bytes.extend_from_slice(value);
            u32::try_from(value.len()).unwrap_or(REMOVAL)
        }
        None => REMOVAL,
    };
    RunEntry { start, key_bytes: u16::try_from(key.len()).unwrap_or(u16::MAX), value_bytes }
}

/// Collects the writes of a batch, in any order.
#[derive(Debug, Default)]
pub(crate) struct RunBuilder {
    bytes: Vec<u8>,
    entries: Vec<RunEntry>,
}

impl RunBuilder {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a write; a later one of the same key replaces it.
    pub(crate) fn push(&mut self, key: &[u8], value: RecentValue<'_>) {
        self.entries.push(push_entry(&mut self.bytes, key, value));
    }

    /// The last write of a key. Searches all of them: hardly any guard is about a buffered space.
    pub(crate) fn last(&self, key: &[u8]) -> Option<RecentValue<'_>> {
        let written = self.entries.iter().rev().find(|entry| entry.key(&self.bytes) == key);
        written.map(|entry| entry.value(&self.bytes))
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// The writes as a run. The builder is empty afterwards.
    pub(crate) fn finish(&mut self, batch: u64) -> SortedRun {
        let bytes = std::mem::take(&mut self.bytes);
        let mut entries = std::mem::take(&mut self.entries);
        // Stable, so that equal keys stay in the order of their writes.
        entries.sort_by(|left, right| left.key(&bytes).cmp(right.key(&bytes)));
        // Backwards, because of equal keys the last one stays.
        entries.reverse();
        entries.dedup_by(|earlier, later| earlier.key(&bytes) == later.key(&bytes));
        entries.reverse();
        SortedRun { bytes, entries, last_batch: batch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(batch: u64, writes: &[(&str, Option<&str>)]) -> SortedRun {
        let mut builder = RunBuilder::default();
        for (key, value) in writes {
            builder.push(key.as_bytes(), value.map(str::as_bytes));
        }
        builder.finish(batch)
    }

    fn text(run: &SortedRun) -> Vec<(String, Option<String>)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let entries = (0..run.len()).map(|index| run.entry(index).unwrap());
        entries.map(|(key, value)| (text(key), value.map(text))).collect()
    }

    fn pairs(pairs: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
        let owned = |text: &str| text.to_owned();
        pairs.iter().map(|(key, value)| (owned(key), value.map(owned))).collect()
    }

    #[test]
    fn a_run_is_sorted_and_the_last_write_of_a_key_wins() {
        let built = run(7, &[("b", Some("1")), ("a", Some("2")), ("b", None), ("", Some(""))]);
        assert_eq!(text(&built), pairs(&[("", Some("")), ("a", Some("2")), ("b", None)]));
        assert_eq!(built.last_batch(), 7);
        assert_eq!(built.get(b"a"), Some(Some(b"2".as_slice())));
        assert_eq!(built.get(b"b"), Some(None));
        assert_eq!(built.get(b"c"), None);
    }

    #[test]
    fn joined_runs_keep_the_newest_entry_of_a_key() {
        let old = run(1, &[("a", Some("1")), ("b", Some("1")), ("c", None)]);
        let middle = run(2, &[("b", None), ("d", Some("2"))]);
        let new = run(3, &[("c", Some("3")), ("b", Some("3"))]);
        let joined = SortedRun::join([&old, &middle, &new].into_iter());
        let expected = [("a", Some("1")), ("b", Some("3")), ("c", Some("3")), ("d", Some("2"))];
        assert_eq!(text(&joined), pairs(&expected));
        assert_eq!(joined.last_batch(), 3);
    }

    #[test]
    fn a_range_has_the_entries_between_its_bounds() {
        let built = run(1, &[("a", None), ("c", None), ("e", None)]);
        let range = |lower: Bound<&str>, upper: Bound<&str>| {
            built.range(lower.map(str::as_bytes), upper.map(str::as_bytes))
        };
        assert_eq!(range(Bound::Unbounded, Bound::Unbounded), 0..3);
        assert_eq!(range(Bound::Included("a"), Bound::Excluded("e")), 0..2);
        assert_eq!(range(Bound::Excluded("a"), Bound::Included("e")), 1..3);
        assert_eq!(range(Bound::Included("b"), Bound::Included("b")), 1..1);
        assert_eq!(range(Bound::Excluded("e"), Bound::Unbounded), 3..3);
    }
}
