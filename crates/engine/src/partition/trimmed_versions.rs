//! Which versions of a physical partition are gone, as its readers have to know it.
//!
//! Owns the marks: by lsn for feeds of all versions, by second for travel in time. Does not own which versions go: see
//! `expiry` for those past the retention, `item/stored` for those that are never kept.

use model::{EffectivePartitionKey, EpkRange, Lsn, TimestampSeconds};

use crate::record::ItemRecord;

/// What was trimmed or never kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrimmedVersions {
    /// The newest version of the whole partition that is gone: a feed of all versions cannot start before it.
    pub(crate) lsn: Lsn,
    /// After a merge: the newest version that is gone in each range that came together. Their lsns were counted apart,
    /// so that what one of them lost says nothing about a position in the other.
    parts: Vec<TrimmedRange>,
    /// The newest end of a version that is gone: seconds before it may lack an item.
    complete_from: TimestampSeconds,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TrimmedRange {
    range: EpkRange,
    lsn: Lsn,
}

impl TrimmedVersions {
    /// Versions up to an lsn, and nothing else, are gone.
    #[cfg(test)]
    pub(crate) fn up_to(lsn: Lsn) -> Self {
        Self { lsn, ..Self::default() }
    }

    /// What is known of a partition whose state was written without the second: its versions ended by its newest write.
    pub(super) fn without_second(lsn: Lsn, newest_write: TimestampSeconds) -> Self {
        let is_complete = lsn == Lsn::ZERO;
        let complete_from = if is_complete { TimestampSeconds(0) } else { newest_write };
        Self { lsn, parts: Vec::new(), complete_from }
    }

    /// Up to here versions of a range may be gone.
    pub(crate) fn lsn_in(&self, range: &EpkRange) -> Lsn {
        let parts = self.parts.iter().filter(|part| part.range.overlaps(range));
        parts.map(|part| part.lsn).fold(self.lsn, Lsn::max)
    }

    /// The first second of which every item is still known.
    pub(crate) fn complete_from(&self) -> TimestampSeconds {
        self.complete_from
    }

    /// A version or deletion of an item of this epk goes.
    pub(crate) fn trim(&mut self, lsn: Lsn, epk: impl FnOnce() -> EffectivePartitionKey) {
        if self.parts.is_empty() {
            self.lsn = self.lsn.max(lsn);
            return;
        }
        let epk = epk();
        match self.parts.iter_mut().find(|part| part.range.contains(&epk)) {
            Some(part) => part.lsn = part.lsn.max(lsn),
            None => self.lsn = self.lsn.max(lsn),
        }
    }

    /// The state of an item that ended at a second is gone. One that began in the same second nobody can ask for.
    pub(crate) fn forget(&mut self, record: &ItemRecord, ended: TimestampSeconds) {
        if record.header.timestamp < ended {
            self.complete_from = self.complete_from.max(ended);
        }
    }

    /// What holds for a part of the partition.
    pub(crate) fn within(&self, range: &EpkRange) -> Self {
        let parts = self.parts.iter().filter_map(|part| {
            Some(TrimmedRange { range: part.range.intersect(range)?, lsn: part.lsn })
        });
        Self { parts: parts.collect(), ..*self }
    }

    /// What holds for two neighbours as one.
    pub(crate) fn merge(self, range: &EpkRange, other: Self, other_range: &EpkRange) -> Self {
        let complete_from = self.complete_from.max(other.complete_from);
        let mut parts = self.into_parts(range);
        parts.extend(other.into_parts(other_range));
        Self { lsn: Lsn::ZERO, parts, complete_from }
    }

    fn into_parts(self, range: &EpkRange) -> Vec<TrimmedRange> {
        let mut parts = self.parts;
        if parts.is_empty() {
            parts.push(TrimmedRange { range: range.clone(), lsn: self.lsn });
        }
        for part in &mut parts {
            part.lsn = part.lsn.max(self.lsn);
        }
        parts
    }

    /// Everything but the lsn of the whole partition, which has its own place in the state.
    pub(super) fn encode_rest(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.complete_from.0.to_be_bytes());
        let count = u16::try_from(self.parts.len()).unwrap_or(u16::MAX);
        bytes.extend_from_slice(&count.to_be_bytes());
        for part in self.parts.iter().take(usize::from(count)) {
            bytes.extend_from_slice(&part.lsn.0.to_be_bytes());
            for epk in [&part.range.min, &part.range.max] {
                let epk = epk.as_bytes();
                let length = u16::try_from(epk.len()).unwrap_or(u16::MAX);
                bytes.extend_from_slice(&length.to_be_bytes());
                bytes.extend_from_slice(epk);
            }
        }
    }

    /// Reads it from the front; returns what follows too.
    pub(super) fn decode_rest(lsn: Lsn, bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&complete_from, bytes) = bytes.split_first_chunk()?;
        let (&count, mut bytes) = bytes.split_first_chunk()?;
        let complete_from = TimestampSeconds(u64::from_be_bytes(complete_from));
        let mut trimmed = Self { lsn, parts: Vec::new(), complete_from };
        for _ in 0..u16::from_be_bytes(count) {
            let (&lsn, rest) = bytes.split_first_chunk()?;
            let (min, rest) = decode_epk(rest)?;
            let (max, rest) = decode_epk(rest)?;
            let (range, lsn) = (EpkRange { min, max }, Lsn(u64::from_be_bytes(lsn)));
            trimmed.parts.push(TrimmedRange { range, lsn });
            bytes = rest;
        }
        Some((trimmed, bytes))
    }
}

fn decode_epk(bytes: &[u8]) -> Option<(EffectivePartitionKey, &[u8])> {
    let (&length, bytes) = bytes.split_first_chunk()?;
    let (epk, rest) = bytes.split_at_checked(usize::from(u16::from_be_bytes(length)))?;
    Some((EffectivePartitionKey::from_bytes(epk.to_vec()), rest))
}
