//! The entries of the keyspace `stamps`.
//!
//! Owns their bytes. They are part of every batch, so they are also where a batch carries its own number:
//!
//! ```text
//! shard 4  ->  stamp 8 | number of the batch 8 | bound 8       format 1 has only the stamp
//! ```
//!
//! Batches are numbered without a gap for the life of a store. A number that is missing between two journals, or inside
//! one, is a lost batch. The bound is the tree's next sequence number before the batch was written: the journal
//! protects the items of a batch by a checksum, and not the sequence number in front of them.

use storage::{Shard, Stamp};

/// Length of a value in format 1.
const STAMP_BYTES: usize = 8;

/// What a batch says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchMark {
    /// One more than the batch before.
    pub(crate) number: u64,
    /// The tree gives the batch this sequence number or a greater one.
    pub(crate) bound: u64,
}

/// The newest stamp of a shard, and the batch that wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StampEntry {
    pub(crate) shard: Shard,
    pub(crate) stamp: Stamp,
    /// `None` in format 1.
    pub(crate) mark: Option<BatchMark>,
}

impl StampEntry {
    /// The key and the value.
    pub(crate) fn encode(shard: Shard, stamp: Stamp, mark: BatchMark) -> ([u8; 4], [u8; 24]) {
        let mut value = [0; 24];
        let fields = [stamp.0, mark.number, mark.bound].map(u64::to_be_bytes);
        for (target, byte) in value.iter_mut().zip(fields.as_flattened()) {
            *target = *byte;
        }
        (shard.0.to_be_bytes(), value)
    }

    pub(crate) fn decode(key: &[u8], value: &[u8]) -> Option<Self> {
        let shard = Shard(u32::from_be_bytes(key.try_into().ok()?));
        let (stamp, rest) = value.split_first_chunk::<STAMP_BYTES>()?;
        let stamp = Stamp(u64::from_be_bytes(*stamp));
        if rest.is_empty() {
            return Some(Self { shard, stamp, mark: None });
        }
        let (number, rest) = rest.split_first_chunk()?;
        let bound = rest.try_into().ok()?;
        let mark =
            BatchMark { number: u64::from_be_bytes(*number), bound: u64::from_be_bytes(bound) };
        Some(Self { shard, stamp, mark: Some(mark) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_back_in_both_formats() {
        let mark = BatchMark { number: 7, bound: 1 << 40 };
        let (key, value) = StampEntry::encode(Shard(9), Stamp(3), mark);
        let entry = StampEntry { shard: Shard(9), stamp: Stamp(3), mark: Some(mark) };
        assert_eq!(StampEntry::decode(&key, &value), Some(entry));
        let first = StampEntry { mark: None, ..entry };
        assert_eq!(StampEntry::decode(&key, &value[..8]), Some(first));
        for length in (0..8).chain(9..24) {
            assert_eq!(StampEntry::decode(&key, &value[..length]), None, "{length}");
        }
    }
}
