//! Keys of stored query results.
//!
//! Owns the identity of a result and the keys of its header and of its chunks of rows. Keys begin with the time of
//! creation, so that the oldest results are a prefix of their kind.

use storage::{KeyRange, StorageKey};

const HEADER: u8 = 1;
const CHUNK: u8 = 2;

/// Identifies a stored result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResultKey {
    /// When it was stored, in milliseconds.
    pub(crate) created_ms: u64,
    /// Distinguishes results of the same millisecond.
    pub(crate) random: u64,
}

impl ResultKey {
    pub(crate) fn header(self) -> StorageKey {
        self.key(HEADER, None)
    }

    /// The key of the chunk that begins with a row.
    pub(crate) fn chunk(self, first_row: u64) -> StorageKey {
        self.key(CHUNK, Some(first_row))
    }

    /// The chunks that begin at or before a row.
    pub(crate) fn chunks_up_to(self, row: u64) -> KeyRange {
        let bound = std::ops::Bound::Included;
        KeyRange { lower: bound(self.chunk(0)), upper: bound(self.chunk(row)) }
    }

    /// The chunks that begin after a row.
    pub(crate) fn chunks_after(self, row: u64) -> KeyRange {
        let lower = std::ops::Bound::Excluded(self.chunk(row));
        KeyRange { lower, upper: std::ops::Bound::Included(self.chunk(u64::MAX)) }
    }

    /// All chunks.
    pub(crate) fn chunks(self) -> KeyRange {
        KeyRange::prefix(&self.key(CHUNK, None))
    }

    /// The headers of all results.
    pub(crate) fn headers() -> KeyRange {
        KeyRange::prefix(&[HEADER])
    }

    /// The headers, and the chunks, of results that were stored before a time.
    pub(crate) fn stored_before(created_ms: u64) -> [KeyRange; 2] {
        let before = Self { created_ms, random: 0 };
        [HEADER, CHUNK].map(|kind| {
            KeyRange::half_open(StorageKey::copy_from_slice(&[kind]), before.key(kind, None))
        })
    }

    pub(crate) fn decode_header(key: &[u8]) -> Option<Self> {
        let key = key.strip_prefix(&[HEADER])?;
        let created_ms = u64::from_be_bytes(key.get(..8)?.try_into().ok()?);
        let random = u64::from_be_bytes(key.get(8..)?.try_into().ok()?);
        Some(Self { created_ms, random })
    }

    /// The row that a chunk begins with.
    pub(crate) fn first_row(key: &[u8]) -> Option<u64> {
        let key = key.strip_prefix(&[CHUNK])?;
        Some(u64::from_be_bytes(key.get(16..)?.try_into().ok()?))
    }

    fn key(self, kind: u8, first_row: Option<u64>) -> StorageKey {
        let mut key = Vec::with_capacity(25);
        key.push(kind);
        key.extend_from_slice(&self.created_ms.to_be_bytes());
        key.extend_from_slice(&self.random.to_be_bytes());
        key.extend(first_row.into_iter().flat_map(u64::to_be_bytes));
        key.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_decode_and_stay_within_their_ranges() {
        let key = ResultKey { created_ms: 5, random: 9 };
        assert_eq!(ResultKey::decode_header(&key.header()), Some(key));
        assert_eq!(ResultKey::decode_header(&key.chunk(3)), None);
        assert_eq!(ResultKey::first_row(&key.chunk(3)), Some(3));
        assert!(key.chunks_up_to(3).contains(&key.chunk(3)));
        assert!(!key.chunks_after(3).contains(&key.chunk(3)));
        assert!(key.chunks_after(3).contains(&key.chunk(4)));
        let later = ResultKey { created_ms: 6, random: 0 };
        let [headers, chunks] = ResultKey::stored_before(6);
        assert!(headers.contains(&key.header()) && !headers.contains(&later.header()));
        assert!(chunks.contains(&key.chunk(3)) && !chunks.contains(&later.chunk(0)));
    }
}
