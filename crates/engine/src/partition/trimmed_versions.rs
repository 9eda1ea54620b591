//! Which versions of a physical partition are missing.
//!
//! Owns the marks: by lsn for change feeds of all versions, by second for time travel. A reader that starts before a
//! mark is refused, because it would silently miss something. Does not own which versions are removed: see
//! `maintenance/trim` for those past the retention, `transaction` for those that are never kept.

use model::{EffectivePartitionKey, EpkRange, Lsn, TimestampSeconds};

use crate::record::ItemRecord;

/// What was trimmed or never kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrimmedVersions {
    /// The newest missing version of the whole partition: a feed of all versions cannot start before it.
    pub(crate) lsn: Lsn,
    /// After a merge: the newest missing version of each merged range. The lsns of the two partitions were counted
    /// separately, so that a mark of one says nothing about a position in the other.
    parts: Vec<TrimmedRange>,
    /// The newest end of a missing version: the state of an earlier second may lack an item.
    complete_from: TimestampSeconds,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TrimmedRange {
    range: EpkRange,
    lsn: Lsn,
}

impl TrimmedVersions {
    /// Versions up to an lsn are missing, and nothing else.
    #[cfg(test)]
    pub(crate) fn up_to(lsn: Lsn) -> Self {
        Self { lsn, ..Self::default() }
    }

    /// For a state of the old format, which has no second: all its versions ended by its newest write.
    pub(super) fn without_second(lsn: Lsn, newest_write: TimestampSeconds) -> Self {
        // Lsns begin at 1, so zero means that nothing was ever trimmed.
        let is_complete = lsn == Lsn::ZERO;
        let complete_from = if is_complete { TimestampSeconds(0) } else { newest_write };
        Self { lsn, parts: Vec::new(), complete_from }
    }

    /// Up to this lsn, versions of a range may be missing.
    pub(crate) fn lsn_in(&self, range: &EpkRange) -> Lsn {
        let parts = self.parts.iter().filter(|part| part.range.overlaps(range));
        // The mark of the whole partition applies too: commits that keep no versions advance it, whatever the range.
        parts.map(|part| part.lsn).fold(self.lsn, Lsn::max)
    }

    /// The first second at which no item is missing.
    pub(crate) fn complete_from(&self) -> TimestampSeconds {
        self.complete_from
    }

    /// Records that a version or deletion of an item of this epk is removed.
    pub(crate) fn trim(&mut self, lsn: Lsn, epk: impl FnOnce() -> EffectivePartitionKey) {
        // Decoding the epk of every trimmed version costs; only a partition that was merged needs it.
        if self.parts.is_empty() {
            self.lsn = self.lsn.max(lsn);
            return;
        }
        let epk = epk();
        match self.parts.iter_mut().find(|part| part.range.contains(&epk)) {
            Some(part) => part.lsn = part.lsn.max(lsn),
            // The parts cover the range of the partition. If one is missing nevertheless, a mark that is too wide only
            // refuses more.
            None => self.lsn = self.lsn.max(lsn),
        }
    }

    /// Records that a state of an item which ended at a second is removed. If it began in the same second, no reader of
    /// the past could ever see it.
    pub(crate) fn forget(&mut self, record: &ItemRecord, ended: TimestampSeconds) {
        // Time travel has a resolution of one second and shows the last state of each.
        if record.header.timestamp < ended {
            self.complete_from = self.complete_from.max(ended);
        }
    }

    /// The marks of a part of the partition.
    pub(crate) fn within(&self, range: &EpkRange) -> Self {
        let parts = self.parts.iter().filter_map(|part| {
            Some(TrimmedRange { range: part.range.intersect(range)?, lsn: part.lsn })
        });
        Self { parts: parts.collect(), ..*self }
    }

    /// The marks of two adjacent partitions together.
    pub(crate) fn merge(self, range: &EpkRange, other: Self, other_range: &EpkRange) -> Self {
        let complete_from = self.complete_from.max(other.complete_from);
        let mut parts = self.into_parts(range);
        parts.extend(other.into_parts(other_range));
        // The old marks move into the parts. As a mark of the whole they would refuse positions of the other
        // partition, whose lsns were counted separately.
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

    /// Encodes everything except the lsn of the whole partition, which has its own offset in the state.
    pub(super) fn encode_rest(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.complete_from.0.to_be_bytes());
        // Each merge adds at most one part, and the list is read at every start: 65,535 is out of reach.
        let count = u16::try_from(self.parts.len()).unwrap_or(u16::MAX);
        bytes.extend_from_slice(&count.to_be_bytes());
        for part in self.parts.iter().take(usize::from(count)) {
            bytes.extend_from_slice(&part.lsn.0.to_be_bytes());
            for epk in [&part.range.min, &part.range.max] {
                let epk = epk.as_bytes();
                // An epk has 16 bytes per level of the partition key, and there are at most three levels.
                let length = u16::try_from(epk.len()).unwrap_or(u16::MAX);
                bytes.extend_from_slice(&length.to_be_bytes());
                bytes.extend_from_slice(epk);
            }
        }
    }

    /// Decodes it from the front; also returns the bytes after it.
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
