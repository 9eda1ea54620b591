//! Positions in the order of creation.
//!
//! Owns how far a list or a query in that order has read, and its form in continuation tokens. A position names no
//! physical partition: it consists of epk ranges and ordinals, which splits and merges keep. So it has the same meaning
//! for every access path that returns items in this order. Does not own the entries: see `key_layout`.

use std::sync::Arc;

use bytes::Bytes;
use model::{EffectivePartitionKey, EpkRange};

/// An epk range that was read up to and including an ordinal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadRange {
    pub(crate) range: EpkRange,
    pub(crate) ordinal: u64,
}

/// How far items were read: everything below a range, the range up to an ordinal, and nothing above it, except for the
/// ranges `above`, which are adjacent to it and to each other. There are such ranges after a split.
///
/// Each item of a page has one of these, so that a clone is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CreationPosition {
    pub(crate) range: Arc<EpkRange>,
    pub(crate) ordinal: u64,
    pub(crate) above: Arc<[ReadRange]>,
}

impl CreationPosition {
    /// What is left of a range: parts of it in ascending order, each with the ordinal up to which it was read.
    pub(crate) fn unread(&self, range: &EpkRange) -> Vec<(EpkRange, Option<u64>)> {
        let begun = |(part, ordinal): (&EpkRange, u64)| {
            range.intersect(part).map(|part| (part, Some(ordinal)))
        };
        let mut unread: Vec<_> = self.ranges().filter_map(begun).collect();
        let begun_to = self.above.last().map_or(&self.range.max, |last| &last.range.max);
        let rest = EpkRange { min: begun_to.clone(), max: range.max.clone() };
        unread.extend(range.intersect(&rest).map(|rest| (rest, None)));
        unread
    }

    /// The ranges that were begun, above the end of a range.
    pub(crate) fn above(&self, range: &EpkRange) -> Arc<[ReadRange]> {
        let above = self.ranges().filter_map(|(part, ordinal)| {
            let rest = EpkRange { min: range.max.clone(), max: part.max.clone() };
            Some(ReadRange { range: part.intersect(&rest)?, ordinal })
        });
        above.collect()
    }

    fn ranges(&self) -> impl Iterator<Item = (&EpkRange, u64)> {
        let above = self.above.iter().map(|part| (&part.range, part.ordinal));
        std::iter::once((self.range.as_ref(), self.ordinal)).chain(above)
    }

    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        let count = u32::try_from(1 + self.above.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&count.to_be_bytes());
        for (range, ordinal) in self.ranges() {
            encode_range(range, bytes);
            bytes.extend_from_slice(&ordinal.to_be_bytes());
        }
    }

    /// Takes a position from the front of a token; `None` if it is damaged.
    pub(crate) fn decode(bytes: &mut Bytes) -> Option<Self> {
        let count = u32::from_be_bytes(take(bytes, 4)?.as_ref().try_into().ok()?);
        // The count is foreign. Nothing is reserved for it, so that a false one ends at the last byte.
        let mut read = (0..count).map(|_| {
            let range = decode_range(bytes)?;
            let ordinal = u64::from_be_bytes(take(bytes, 8)?.as_ref().try_into().ok()?);
            Some(ReadRange { range, ordinal })
        });
        let ReadRange { range, ordinal } = read.next()??;
        let above = read.collect::<Option<Vec<_>>>()?.into();
        Some(Self { range: Arc::new(range), ordinal, above })
    }
}

/// An epk range in a token: each bound with its length.
pub(crate) fn encode_range(range: &EpkRange, bytes: &mut Vec<u8>) {
    for epk in [&range.min, &range.max] {
        let epk = epk.as_bytes();
        let length = u32::try_from(epk.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(epk);
    }
}

/// Takes an epk range from the front of a token.
pub(crate) fn decode_range(bytes: &mut Bytes) -> Option<EpkRange> {
    let mut epk = || {
        let length = u32::from_be_bytes(take(bytes, 4)?.as_ref().try_into().ok()?);
        let epk = take(bytes, usize::try_from(length).ok()?)?;
        Some(EffectivePartitionKey::from_bytes(epk.to_vec()))
    };
    Some(EpkRange { min: epk()?, max: epk()? })
}

fn take(bytes: &mut Bytes, length: usize) -> Option<Bytes> {
    // `split_to` panics beyond the end. A length in a token is foreign input.
    (bytes.len() >= length).then(|| bytes.split_to(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(min: u8, max: u8) -> EpkRange {
        let epk = |byte: u8| EffectivePartitionKey::from_bytes(vec![byte]);
        EpkRange { min: epk(min), max: epk(max) }
    }

    fn position(read: &[(u8, u8, u64)]) -> CreationPosition {
        let of = |(min, max, ordinal): &(u8, u8, u64)| ReadRange {
            range: range(*min, *max),
            ordinal: *ordinal,
        };
        let (first, above) = read.split_first().unwrap();
        let ReadRange { range, ordinal } = of(first);
        CreationPosition { range: Arc::new(range), ordinal, above: above.iter().map(of).collect() }
    }

    #[test]
    fn what_is_left_of_a_range_follows_splits_and_merges() {
        let read = position(&[(2, 4, 7)]);
        // The same partition, the halves of a split, and a partition that a merge has made of it and its neighbours.
        assert_eq!(read.unread(&range(2, 4)), [(range(2, 4), Some(7))]);
        assert_eq!(read.unread(&range(2, 3)), [(range(2, 3), Some(7))]);
        assert_eq!(read.unread(&range(3, 4)), [(range(3, 4), Some(7))]);
        assert_eq!(read.unread(&range(1, 6)), [(range(2, 4), Some(7)), (range(4, 6), None)]);
        assert_eq!(read.unread(&range(1, 2)), []);
        assert_eq!(read.unread(&range(5, 6)), [(range(5, 6), None)]);
        let split = position(&[(2, 3, 9), (3, 4, 7)]);
        let expected = [(range(2, 3), Some(9)), (range(3, 4), Some(7)), (range(4, 5), None)];
        assert_eq!(split.unread(&range(2, 5)), expected);
        let above = |min, max| split.above(&range(min, max)).to_vec();
        assert_eq!(above(1, 3), [ReadRange { range: range(3, 4), ordinal: 7 }]);
        assert_eq!(above(3, 4), []);
    }

    #[test]
    fn a_position_is_decoded_as_it_was_encoded_and_damage_is_noticed() {
        let split = position(&[(2, 3, 9), (3, 4, 7)]);
        let mut bytes = Vec::new();
        split.encode(&mut bytes);
        let mut whole = Bytes::from(bytes.clone());
        assert_eq!(CreationPosition::decode(&mut whole), Some(split));
        assert!(whole.is_empty());
        for length in 0..bytes.len() {
            assert_eq!(
                CreationPosition::decode(&mut Bytes::copy_from_slice(&bytes[..length])),
                None
            );
        }
    }
}
