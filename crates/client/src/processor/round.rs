//! One round: take leases and handle all new changes in them.
//!
//! Owns load balancing. An instance takes free leases up to its fair share, and one from an instance that has more. A
//! lease is free if it has no owner, or if its etag has not changed for the expiry time by our own clock: clocks of
//! different machines are never compared.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::item::Item;

use super::lease::{Lease, WatchedLease};
use super::run::ProcessorInner;

/// The result of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Leases that this instance owns now.
    pub leases: usize,
    /// Changes handled.
    pub handled: u64,
    /// Changes parked.
    pub parked: u64,
}

impl<T: serde::de::DeserializeOwned + Send + Sync> ProcessorInner<T> {
    pub(super) async fn round(&self) -> Result<Round> {
        let mut round = Round::default();
        for lease in self.take_leases().await? {
            if let Some(delivered) = self.process_lease(lease).await? {
                round.leases += 1;
                round.handled += delivered.handled;
                round.parked += delivered.parked;
            }
        }
        Ok(round)
    }

    /// The leases of this instance, each renewed.
    async fn take_leases(&self) -> Result<Vec<Item<Lease>>> {
        let plan = self.store.plan(&self.monitored, self.options.start).await?;
        let leases = self.store.leases(&plan).await?;
        let wanted = self.share(&leases);
        let mut taken = Vec::new();
        for mut lease in leases {
            if !wanted.contains(&lease.value.number) {
                continue;
            }
            lease.value.owner = Some(self.options.instance.clone());
            lease.value.renewals += 1;
            // A write that is refused is no error: another instance was faster.
            taken.extend(self.store.write(&lease).await?);
        }
        Ok(taken)
    }

    /// Numbers of the leases to own: the current ones, free ones up to the fair share, and one from an instance with
    /// too many.
    fn share(&self, leases: &[Item<Lease>]) -> Vec<usize> {
        let me = self.options.instance.as_str();
        let mut mine = Vec::new();
        let mut free = Vec::new();
        let mut others: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for lease in leases {
            let number = lease.value.number;
            match lease.value.owner.as_deref() {
                Some(owner) if owner == me => mine.push(number),
                Some(owner) if !self.has_expired(lease) => {
                    others.entry(owner).or_default().push(number);
                }
                _ => free.push(number),
            }
        }
        // Rounded up, or leases would stay without an owner when they cannot be divided evenly.
        let share = leases.len().div_ceil(others.len() + 1);
        let missing = share.saturating_sub(mine.len());
        mine.extend(free.into_iter().take(missing));
        let richest = others.into_values().max_by_key(Vec::len).unwrap_or_default();
        // Take one at a time, and only if the other instance still has at least as many afterwards: otherwise two
        // instances would take the same lease from each other forever.
        if mine.len() + 1 < richest.len() {
            mine.extend(richest.last());
        }
        mine
    }

    /// Whether a lease of another instance was not renewed for the expiry time.
    fn has_expired(&self, lease: &Item<Lease>) -> bool {
        let now_ms = self.environment().now().0;
        let etag = lease.etag();
        let mut watched = self.lock_watched();
        let seen = watched
            .entry(lease.value.number)
            .or_insert_with(|| WatchedLease { etag: etag.clone(), since_ms: now_ms });
        // Renewed since we looked last. Only the time on our own clock between two equal etags counts.
        if seen.etag != etag {
            *seen = WatchedLease { etag, since_ms: now_ms };
        }
        let idle_ms = u128::from(now_ms.saturating_sub(seen.since_ms));
        idle_ms >= self.options.lease_expiry.as_millis()
    }
}
