//! The request and the answer of a range read.
//!
//! Owns bounds, direction and limits. Does not own a cursor: a continuation is the last key, so nothing stays open.

use std::ops::Bound;

use crate::{StorageKey, StorageValue};

/// Which way a scan walks its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the lower bound upwards.
    Forward,
    /// From the upper bound downwards.
    Backward,
}

/// An interval of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Where the interval starts.
    pub lower: Bound<StorageKey>,
    /// Where the interval ends.
    pub upper: Bound<StorageKey>,
}

impl KeyRange {
    /// Every key of the space.
    #[must_use]
    pub fn all() -> Self {
        Self { lower: Bound::Unbounded, upper: Bound::Unbounded }
    }

    /// Every key that starts with `prefix`.
    #[must_use]
    pub fn prefix(prefix: &[u8]) -> Self {
        let upper = match successor_of_prefix(prefix) {
            Some(end) => Bound::Excluded(end),
            None => Bound::Unbounded,
        };
        Self { lower: Bound::Included(StorageKey::copy_from_slice(prefix)), upper }
    }

    /// Keys from `lower` (included) to `upper` (excluded).
    #[must_use]
    pub fn half_open(lower: StorageKey, upper: StorageKey) -> Self {
        Self { lower: Bound::Included(lower), upper: Bound::Excluded(upper) }
    }

    /// The part of this range that lies after `last` in the given direction.
    #[must_use]
    pub fn after(&self, last: StorageKey, direction: Direction) -> Self {
        match direction {
            Direction::Forward => Self { lower: Bound::Excluded(last), upper: self.upper.clone() },
            Direction::Backward => Self { lower: self.lower.clone(), upper: Bound::Excluded(last) },
        }
    }

    /// Whether `key` lies inside.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        let above = match &self.lower {
            Bound::Included(lower) => key >= lower.as_ref(),
            Bound::Excluded(lower) => key > lower.as_ref(),
            Bound::Unbounded => true,
        };
        let below = match &self.upper {
            Bound::Included(upper) => key <= upper.as_ref(),
            Bound::Excluded(upper) => key < upper.as_ref(),
            Bound::Unbounded => true,
        };
        above && below
    }

    /// Whether no key can lie inside. Backends call it first: some ordered maps panic on a reversed range.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
            (
                Bound::Included(lower) | Bound::Excluded(lower),
                Bound::Included(upper) | Bound::Excluded(upper),
            ) => lower >= upper,
        }
    }
}

/// The smallest key that is greater than every key starting with `prefix`; none when `prefix` is all 0xFF.
fn successor_of_prefix(prefix: &[u8]) -> Option<StorageKey> {
    let kept = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix.get(..=kept)?.to_vec();
    *end.last_mut()? += 1;
    Some(end.into())
}

/// When a scan stops. Both limits hold; at least one entry is returned if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanLimit {
    /// At most this many entries.
    pub entries_max: usize,
    /// Stop once keys and values add up to this many bytes.
    pub bytes_max: usize,
}

impl ScanLimit {
    /// A limit in entries, with a generous bound on bytes.
    #[must_use]
    pub fn entries(entries_max: usize) -> Self {
        Self { entries_max, bytes_max: 16 * 1024 * 1024 }
    }
}

/// One range read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// Which keys.
    pub range: KeyRange,
    /// Which way.
    pub direction: Direction,
    /// How much at most.
    pub limit: ScanLimit,
}

impl Scan {
    /// A forward scan.
    #[must_use]
    pub fn forward(range: KeyRange, limit: ScanLimit) -> Self {
        Self { range, direction: Direction::Forward, limit }
    }

    /// A backward scan.
    #[must_use]
    pub fn backward(range: KeyRange, limit: ScanLimit) -> Self {
        Self { range, direction: Direction::Backward, limit }
    }
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, without shard and space.
    pub key: StorageKey,
    /// The value.
    pub value: StorageValue,
}

/// Entries a page has room for before it is known how many there are; the page of a large limit grows.
const ROOM_ENTRIES_MAX: usize = 1_024;

/// What a scan found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPage {
    /// Entries in the order of the scan.
    pub entries: Vec<Entry>,
    /// True when a limit ended the scan: there may be more after the last entry.
    pub more: bool,
}

impl ScanPage {
    /// Takes entries until a limit is reached: what every backend does with its own iterator.
    ///
    /// # Errors
    /// The first error of the iterator.
    pub fn fill(
        limit: ScanLimit,
        entries: impl Iterator<Item = crate::Result<Entry>>,
    ) -> crate::Result<Self> {
        let mut builder = ScanPageBuilder::new(limit);
        for entry in entries {
            if !builder.push(entry?) {
                break;
            }
        }
        Ok(builder.finish())
    }
}

/// A page to which entries are added one by one.
#[derive(Debug)]
pub struct ScanPageBuilder {
    page: ScanPage,
    bytes: usize,
    limit: ScanLimit,
}

impl ScanPageBuilder {
    /// An empty page.
    #[must_use]
    pub fn new(limit: ScanLimit) -> Self {
        let room = limit.entries_max.min(ROOM_ENTRIES_MAX);
        let page = ScanPage { entries: Vec::with_capacity(room), more: false };
        Self { page, bytes: 0, limit }
    }

    /// Adds an entry; tells whether there is room for another. Nobody looks for it when there is none: it would cost a
    /// read that the caller may never want.
    #[inline]
    pub fn push(&mut self, entry: Entry) -> bool {
        self.bytes += entry.key.len() + entry.value.len();
        self.page.entries.push(entry);
        let is_full = self.page.entries.len() >= self.limit.entries_max;
        self.page.more = is_full || self.bytes >= self.limit.bytes_max;
        !self.page.more
    }

    /// The page.
    #[must_use]
    pub fn finish(self) -> ScanPage {
        self.page
    }
}
