//! Range reads: the request and its result.
//!
//! Owns bounds, direction and limits. Does not own a cursor: a scan continues after the last key of its page, so
//! nothing stays open between pages.

use std::ops::Bound;

use crate::{StorageKey, StorageValue};

/// The order in which a scan returns the keys of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the lower bound upwards.
    Forward,
    /// From the upper bound downwards.
    Backward,
}

/// A range of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The lower bound.
    pub lower: Bound<StorageKey>,
    /// The upper bound.
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

    /// The rest of this range after `last` in the given direction.
    #[must_use]
    pub fn after(&self, last: StorageKey, direction: Direction) -> Self {
        match direction {
            Direction::Forward => Self { lower: Bound::Excluded(last), upper: self.upper.clone() },
            Direction::Backward => Self { lower: self.lower.clone(), upper: Bound::Excluded(last) },
        }
    }

    /// Whether the range contains `key`.
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

    /// Whether the range can contain no key. Backends check it first, because some ordered maps panic on a reversed
    /// range.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
            (
                Bound::Included(lower) | Bound::Excluded(lower),
                Bound::Included(upper) | Bound::Excluded(upper),
                // Equal bounds contain the key only if both include it, which the arm above handles.
            ) => lower >= upper,
        }
    }
}

/// The smallest key greater than every key that starts with `prefix`; `None` if `prefix` consists of 0xFF only.
fn successor_of_prefix(prefix: &[u8]) -> Option<StorageKey> {
    // Trailing 0xFF bytes cannot be incremented; the byte before them can, and the shorter key is still greater.
    let last_kept = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix.get(..=last_kept)?.to_vec();
    *end.last_mut()? += 1;
    Some(end.into())
}

/// The limits of a page. Both apply, but a page has at least one entry if the range is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanLimit {
    /// The scan stops after this many entries.
    pub entries_max: usize,
    /// The scan stops once keys and values add up to this many bytes.
    pub bytes_max: usize,
}

impl ScanLimit {
    /// A limit in entries, with a limit of 16 MiB.
    #[must_use]
    pub fn entries(entries_max: usize) -> Self {
        // Large items: 1,000 of them have up to 2 GB, and a page is held in memory as a whole.
        Self { entries_max, bytes_max: 16 * 1024 * 1024 }
    }
}

/// One range read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The keys to read.
    pub range: KeyRange,
    /// The order.
    pub direction: Direction,
    /// The limits of the page.
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

/// Entries that a page reserves memory for in advance; beyond that it grows.
const RESERVED_ENTRIES_MAX: usize = 1_024;

/// The result of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPage {
    /// Entries in the order of the scan.
    pub entries: Vec<Entry>,
    /// True if a limit ended the scan, so that there may be more entries after the last one.
    pub more: bool,
}

impl ScanPage {
    /// Takes entries from an iterator until a limit is reached.
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

/// Builds a page entry by entry.
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
        let reserved = limit.entries_max.min(RESERVED_ENTRIES_MAX);
        let page = ScanPage { entries: Vec::with_capacity(reserved), more: false };
        Self { page, bytes: 0, limit }
    }

    /// Adds an entry and returns whether the page accepts another. `more` is set as soon as a limit is reached, without
    /// looking for a next entry: that would cost a read that the caller may never need.
    #[inline]
    pub fn push(&mut self, entry: Entry) -> bool {
        self.bytes += entry.key.len() + entry.value.len();
        self.page.entries.push(entry);
        let is_full = self.page.entries.len() >= self.limit.entries_max;
        // Checked after the push, so that every page has at least one entry and a reader always advances.
        self.page.more = is_full || self.bytes >= self.limit.bytes_max;
        !self.page.more
    }

    /// The finished page.
    #[must_use]
    pub fn finish(self) -> ScanPage {
        self.page
    }
}
