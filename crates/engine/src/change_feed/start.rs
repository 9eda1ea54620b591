//! Translates the start of a change feed (beginning, now, a time, a continuation) into positions.
//!
//! A time is found by binary search over the change log, whose order is the order of time, except where a merge has
//! interleaved two partitions or a clock was set back; that part is scanned.

use model::{EpkRange, Lsn, TimestampSeconds};
use storage::{Direction, KeyRange, Scan, ScanLimit, StorageKey};

use super::position::{ChangeFeedPosition, RangePosition};
use super::request::{ChangeFeedMode, ChangeFeedStart};
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{CHANGE_LOG, ChangePosition, STATE, STATE_KEY};
use crate::partition::{PartitionState, PhysicalPartition};
use crate::record::LogEntry;

/// Entries per scan of an interleaved part.
const SCAN_ENTRIES: usize = 500;

impl Engine {
    /// The positions of a start.
    pub(crate) async fn starting_position(
        &self,
        container: &ContainerEntry,
        range: &EpkRange,
        mode: ChangeFeedMode,
        start: &ChangeFeedStart,
    ) -> Result<ChangeFeedPosition> {
        let starts_before_now =
            matches!(start, ChangeFeedStart::Beginning | ChangeFeedStart::Time(_));
        if mode == ChangeFeedMode::AllVersionsAndDeletes && starts_before_now {
            return Err(Error::invalid(
                "You must read the change feed from within the retention period. The change feed of all versions and \
                 deletes starts now or at a continuation token; it cannot start at the beginning or at a time.",
            ));
        }
        match start {
            ChangeFeedStart::Continuation(token) => {
                ChangeFeedPosition::from_token(token, &container.identity.rid)?.within(range)
            }
            ChangeFeedStart::Position(position) => position.clone().within(range),
            // One part for the whole feed range: reading splits it by the partitions of now.
            ChangeFeedStart::Lsn(lsn) => {
                let part = RangePosition { range: range.clone(), lsn: *lsn };
                Ok(ChangeFeedPosition { ranges: vec![part] })
            }
            start => {
                let mut ranges = Vec::new();
                for partition in container.map().overlapping(range) {
                    let Some(part) = partition.range.intersect(range) else { continue };
                    let lsn = match start {
                        // Taken from what is published: a write that is acknowledged after this call has a greater lsn
                        // and is in the feed.
                        ChangeFeedStart::Now => partition.published.lsn(),
                        ChangeFeedStart::Time(time) => {
                            self.lsn_before(container, &partition, *time).await?
                        }
                        _ => Lsn::ZERO,
                    };
                    ranges.push(RangePosition { range: part, lsn });
                }
                Ok(ChangeFeedPosition { ranges })
            }
        }
    }

    /// The greatest lsn such that every change at `time` or later lies after it.
    async fn lsn_before(
        &self,
        container: &ContainerEntry,
        partition: &PhysicalPartition,
        time: TimestampSeconds,
    ) -> Result<Lsn> {
        let shard = partition.identity.shard;
        let stored = self.store().get(shard, STATE, STATE_KEY).await?;
        let state =
            stored.map_or(Ok(PartitionState::default()), |bytes| PartitionState::decode(&bytes))?;
        if let Some(lsn) =
            self.scan_interleaved(container, partition, state.interleaved, time).await?
        {
            // A position is "everything up to and including", so it stands before the change that was found.
            return Ok(Lsn(lsn.0.saturating_sub(1)));
        }
        // Invariant: every change up to `low` is before `time`; the first change after `high` is not. The log has gaps
        // (it keeps only the newest version of an item), so that `first_after` may jump beyond `high`.
        // After a clock was set back, `interleaved` may lie beyond the newest change.
        let mut high = partition.published.lsn();
        let mut low = state.interleaved.min(high);
        while low < high {
            // Written so that the sum of two large lsns cannot overflow.
            let middle = Lsn(low.0 + (high.0 - low.0) / 2);
            match self.first_after(container, partition, middle).await? {
                Some((lsn, timestamp)) if timestamp < time && lsn <= high => low = lsn,
                Some((lsn, timestamp)) if timestamp < time => low = lsn.min(high),
                // None after the middle, or one at the wanted time or later.
                _ => high = middle,
            }
        }
        Ok(low)
    }

    async fn first_after(
        &self,
        container: &ContainerEntry,
        partition: &PhysicalPartition,
        lsn: Lsn,
    ) -> Result<Option<(Lsn, TimestampSeconds)>> {
        let scan = Scan::forward(ChangePosition::after(lsn), ScanLimit::entries(1));
        let page = self.store().scan(partition.identity.shard, CHANGE_LOG, &scan).await?;
        let Some(entry) = page.entries.into_iter().next() else { return Ok(None) };
        let (_, record) = LogEntry::decode(entry.value, container.identity.levels())?;
        Ok(Some((record.header.position.lsn, record.header.timestamp)))
    }

    /// The first change up to `through` that happened at `time` or later, found by reading all of them.
    async fn scan_interleaved(
        &self,
        container: &ContainerEntry,
        partition: &PhysicalPartition,
        through: Lsn,
        time: TimestampSeconds,
    ) -> Result<Option<Lsn>> {
        let upper = StorageKey::copy_from_slice(&through.0.saturating_add(1).to_be_bytes());
        // In this part a younger change may come before an older one, so neither end can be searched for.
        let mut range = KeyRange::half_open(StorageKey::new(), upper);
        if through == Lsn::ZERO {
            return Ok(None);
        }
        loop {
            let scan = Scan::forward(range.clone(), ScanLimit::entries(SCAN_ENTRIES));
            let page = self.store().scan(partition.identity.shard, CHANGE_LOG, &scan).await?;
            for entry in &page.entries {
                let (_, record) =
                    LogEntry::decode(entry.value.clone(), container.identity.levels())?;
                if record.header.timestamp >= time {
                    return Ok(Some(record.header.position.lsn));
                }
            }
            let Some(last) = page.entries.last().filter(|_| page.more) else { return Ok(None) };
            range = range.after(last.key.clone(), Direction::Forward);
        }
    }
}
