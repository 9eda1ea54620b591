//! Leases that cover the monitored container: the first ones, and those after a split.
//!
//! Owns the order of steps that survives a crash at any of them. The first leases: lock, leases, info, unlock. A split:
//! the leases of the parts exist before the parent's goes, so that no moment leaves a range without a lease, and a
//! second instance that does the same finds them there. After a merge nothing is done: a lease is an epk range, and two
//! leases may read one physical partition. Does not own the items: see `store`.

use std::sync::Arc;
use std::time::Duration;

use model::{EpkRange, Lsn};

use super::builder::ProcessorStart;
use super::checkpoint::{Halt, Held};
use super::lease::{Lease, LeasePosition};
use super::run::Inner;
use super::store::Lock;
use crate::change_feed::RangePosition;
use crate::{Error, ErrorKind, Result};

/// Whether there are leases to work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initialised {
    Done,
    /// Another instance is at it.
    Elsewhere,
}

impl Inner {
    /// Makes sure that the leases exist.
    pub(crate) async fn initialise(&self) -> Result<Initialised> {
        self.check_monitored().await?;
        if self.is_initialised() {
            return Ok(Initialised::Done);
        }
        if !self.store.is_initialised().await? {
            let Lock::Taken(lock) = self.store.lock(self.now(), self.settings.lease_expiry).await?
            else {
                return Ok(Initialised::Elsewhere);
            };
            // Whoever had the lock before may have finished between the two steps above.
            if !self.store.is_initialised().await? {
                self.make_leases().await?;
                self.store.mark_initialised().await?;
            }
            self.store.unlock(&lock).await?;
        }
        self.set_initialised();
        Ok(Initialised::Done)
    }

    /// Positions mean nothing in a container that was deleted and created again.
    async fn check_monitored(&self) -> Result<()> {
        let rid = self.engine.read_container(&self.monitored).await?.value.rid;
        if rid == *self.store.monitored() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Invalid,
            format!(
                "The container {} is not the one this processor was built for.",
                self.monitored
            ),
        ))
    }

    /// Leases for whatever no lease covers. An instance that crashed here before may have left some.
    async fn make_leases(&self) -> Result<()> {
        let existing: Vec<EpkRange> =
            self.store.list().await?.into_iter().map(|lease| lease.range).collect();
        for partition in self.engine.list_partitions(&self.monitored).await?.value.partitions {
            let position = match self.settings.start {
                ProcessorStart::Beginning => LeasePosition::After(Lsn::ZERO),
                ProcessorStart::Now => LeasePosition::After(partition.lsn),
                ProcessorStart::Time(time) => LeasePosition::From(time),
            };
            for range in uncovered(&partition.range, &existing) {
                let lease = Lease {
                    range,
                    owner: None,
                    position,
                    renewed: self.now(),
                    parked: 0,
                    etag: None,
                };
                self.store.create(&lease).await?;
            }
        }
        Ok(())
    }

    /// Replaces a lease by leases of `parts`, at the position of the lease.
    pub(crate) async fn split(
        &self,
        held: &Arc<Held>,
        parts: &[RangePosition],
    ) -> std::result::Result<(), Halt> {
        // A late instance must not bring back leases that were split further since.
        held.renew(&self.store, self.environment(), Duration::ZERO).await?;
        let parent = held.lease().await;
        let mut parked = parent.parked;
        for part in parts {
            let child = Lease {
                range: part.range.clone(),
                renewed: self.now(),
                parked: std::mem::take(&mut parked),
                etag: None,
                ..parent.clone()
            };
            if let Some(child) = self.store.create(&child).await? {
                self.hold(child);
            }
        }
        self.store.delete(&parent).await?;
        self.forget(held);
        self.woken.notify_one();
        Ok(())
    }
}

/// The parts of `range` in none of `covered`, which are in order.
fn uncovered(range: &EpkRange, covered: &[EpkRange]) -> Vec<EpkRange> {
    let mut gaps = Vec::new();
    let mut from = range.min.clone();
    for part in covered.iter().filter_map(|part| part.intersect(range)) {
        if from < part.min {
            gaps.push(EpkRange::new(from.clone(), part.min));
        }
        from = from.max(part.max);
    }
    if from < range.max {
        gaps.push(EpkRange::new(from, range.max.clone()));
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change_feed::processor::lease::parse_range;

    fn ranges(texts: &[&str]) -> Vec<EpkRange> {
        texts.iter().map(|text| parse_range(text).unwrap()).collect()
    }

    #[test]
    fn gaps_are_what_no_lease_covers() {
        let table: [(&[&str], &[&str]); 6] = [
            (&[], &["10-40"]),
            (&["-FF"], &[]),
            (&["10-20", "20-40"], &[]),
            (&["10-20"], &["20-40"]),
            (&["20-30"], &["10-20", "30-40"]),
            (&["-15", "10-20", "35-FF"], &["20-35"]),
        ];
        for (covered, expected) in table {
            let range = parse_range("10-40").unwrap();
            assert_eq!(uncovered(&range, &ranges(covered)), ranges(expected), "{covered:?}");
        }
    }
}
