//! The header of the next version of an item: position, timestamp, etag.
//!
//! Owns where its numbers come from: the state of the partition, or numbers that were reserved before the transaction
//! ran.

use model::{Etag, ItemTimeToLive, Lsn, TimestampSeconds};

use super::item_transaction::ItemTransaction;
use crate::key_layout::ChangePosition;
use crate::record::{ItemHeader, ItemRecord, earlier_position};

/// Numbers of one version that nobody else gets. Whoever rehearses a write shows them to its caller, and the write gets
/// the same ones when it is committed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReservedVersion {
    pub(crate) ordinal: u64,
    /// The number of the write, which the etag contains.
    pub(crate) sequence: u64,
    pub(crate) timestamp: TimestampSeconds,
}

impl ItemTransaction<'_> {
    /// The second of this write. It does not go back inside a partition while the clock is adjusted: the change log is
    /// searched by time (see `change_feed/start`), which relies on this order. A clock that was far ahead is dealt with
    /// before the transaction (see `PartitionState::correct_clock`).
    pub(super) fn timestamp(&mut self) -> TimestampSeconds {
        let seconds = self.context.now.seconds().0.max(self.state.timestamp_seconds);
        self.state.timestamp_seconds = seconds;
        TimestampSeconds(seconds)
    }

    /// The position of the next change; its lsn is zero until the commit.
    pub(super) fn next_position(&mut self, ordinal: u64) -> ChangePosition {
        // A batch has at most 100 operations, a script 10,000 and an expiry step 4,096 items, with few changes each:
        // `u16` is enough.
        let position = ChangePosition { lsn: Lsn::ZERO, sequence: self.sequence, ordinal };
        self.sequence += 1;
        position
    }

    /// Reserves the numbers of a version for a later transaction.
    pub(crate) fn reserve_version(&mut self) -> ReservedVersion {
        let ordinal = self.state.next_ordinal(self.context.partition.number);
        let timestamp = self.timestamp();
        self.state.writes += 1;
        ReservedVersion { ordinal, sequence: self.state.writes, timestamp }
    }

    /// The header of the next version. `reserved` is the ordinal that a new item was prepared with.
    pub(super) fn header_for(
        &mut self,
        previous: Option<&ItemRecord>,
        (time_to_live, indexed): (Option<ItemTimeToLive>, bool),
        reserved: Option<u64>,
    ) -> ItemHeader {
        let partition = self.context.partition.number;
        let reserved = reserved.or(self.version.map(|version| version.ordinal));
        let ordinal = match previous {
            // An item keeps its ordinal for life: its rid and its terms contain it.
            Some(record) => record.header.position.ordinal,
            None => reserved.unwrap_or_else(|| self.state.next_ordinal(partition)),
        };
        let timestamp = self.timestamp();
        let etag = match self.version {
            Some(version) => Etag::new(version.sequence, partition, version.timestamp),
            None => {
                self.state.writes += 1;
                Etag::new(self.state.writes, partition, timestamp)
            }
        };
        ItemHeader {
            position: self.next_position(ordinal),
            previous: previous
                // The ordinal is the same in both positions, so the record stores it once.
                .map_or(ChangePosition { ordinal, ..ChangePosition::default() }, |record| {
                    earlier_position(record.header.position)
                }),
            timestamp,
            time_to_live,
            indexed,
            etag,
        }
    }
}
