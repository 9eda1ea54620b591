//! How far behind a processor is.
//!
//! Owns the estimate per lease, read from the lease container: it needs no running instance and disturbs none.

use model::{EpkRange, FeedRange, Lsn, TimestampMs};

use super::lease::{Instance, Lease, LeasePosition};
use super::run::{Inner, Processor};
use crate::Result;
use crate::operation::ReadChangeFeed;
use crate::outcome::PartitionResource;

/// How far behind the processor is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Per lease, in the order of their epk ranges.
    pub leases: Vec<LeaseEstimate>,
}

/// How far behind the work on one lease is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseEstimate {
    /// What the lease covers.
    pub range: EpkRange,
    /// Who has it.
    pub owner: Option<Instance>,
    /// When it was last renewed.
    pub renewed: TimestampMs,
    /// Up to where it is handled.
    pub position: LeasePosition,
    /// Changes not yet handled, at most the bound of the estimate.
    pub changes: usize,
    /// Lsns from the position to the newest write of the physical partition. It can stay above zero while no change of
    /// this range is left, until the next renewal.
    pub lsn_distance: u64,
    /// Changes parked so far.
    pub parked: u64,
}

impl Estimate {
    /// Changes not yet handled, of all leases.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.leases.iter().map(|lease| lease.changes).sum()
    }

    /// Changes parked so far, of all leases.
    #[must_use]
    pub fn parked(&self) -> u64 {
        self.leases.iter().map(|lease| lease.parked).sum()
    }
}

impl Processor {
    /// How far behind each lease is, counting `changes_max` changes per lease at most. Empty before the first round of
    /// the first instance.
    ///
    /// # Errors
    /// Those of reading the leases and the change feed.
    pub async fn estimate(&self, changes_max: usize) -> Result<Estimate> {
        let inner = self.inner();
        let partitions = inner.engine.list_partitions(&inner.monitored).await?.value.partitions;
        let mut leases = Vec::new();
        for lease in inner.store.list().await? {
            leases.push(LeaseEstimate {
                changes: inner.count(&lease, changes_max).await?,
                lsn_distance: lsn_distance(&lease, &partitions),
                range: lease.range,
                owner: lease.owner,
                renewed: lease.renewed,
                position: lease.position,
                parked: lease.parked,
            });
        }
        Ok(Estimate { leases })
    }
}

impl Inner {
    /// Changes after the position of a lease, `changes_max` at most.
    async fn count(&self, lease: &Lease, changes_max: usize) -> Result<usize> {
        let mut start = lease.position.start(&lease.range);
        let mut count = 0;
        while count < changes_max {
            let read = ReadChangeFeed {
                container: self.monitored.clone(),
                feed_range: FeedRange::Epk(lease.range.clone()),
                mode: self.settings.mode,
                start,
                items_max: Some(changes_max - count),
            };
            let page = self.engine.read_change_feed(read).await?.value;
            count += page.changes.len();
            if !page.more {
                break;
            }
            start = crate::change_feed::ChangeFeedStart::Position(page.position);
        }
        Ok(count.min(changes_max))
    }
}

fn lsn_distance(lease: &Lease, partitions: &[PartitionResource]) -> u64 {
    let overlapping = partitions.iter().filter(|partition| partition.range.overlaps(&lease.range));
    let newest = overlapping.map(|partition| partition.lsn).max().unwrap_or(Lsn::ZERO);
    newest.0.saturating_sub(lease.position.lsn().0)
}
