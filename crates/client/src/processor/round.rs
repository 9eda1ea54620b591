//! One round: take leases and handle all new changes in them.
//!
//! Owns load balancing. An instance takes free leases up to its fair share, and one from an instance that has more. A
//! lease is free if it has no owner, or if its etag has not changed for the expiry time by our own clock: clocks of
//! different machines are never compared. A lease that was written recently is not written again by a round that finds
//! nothing new: the write would cost a sync before the first change is delivered.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::item::Item;

use super::lease::{HeldLease, Lease, WatchedLease};
use super::run::ProcessorInner;

/// A lease is renewed when this part of its expiry has passed. With a round in every half of it at most, the renewals
/// are never further apart than three quarters.
const RENEWED_PART: u32 = 4;

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

    /// The leases of this instance, each renewed in time.
    async fn take_leases(&self) -> Result<Vec<HeldLease>> {
        let leases = self.store.leases(self.plan().await?).await?;
        let wanted = self.share(&leases);
        let mut taken = Vec::new();
        for lease in leases {
            let number = lease.value.number;
            let held = self.lock_held().remove(&number);
            if wanted.contains(&number) {
                // Whoever else writes a lease changes its etag, so with ours it was never out of our hands.
                let held = held.filter(|held| held.item.etag() == lease.etag());
                taken.extend(self.take(lease, held).await?);
            }
        }
        Ok(taken)
    }

    /// Takes or keeps one lease; `None` when another instance was faster, which is no error.
    async fn take(&self, read: Item<Lease>, held: Option<HeldLease>) -> Result<Option<HeldLease>> {
        let now = self.environment().now();
        let renewal_ms = (self.options.lease_expiry / RENEWED_PART).as_millis();
        let (mut item, repeated_until) = match held {
            Some(held) => {
                let age_ms = now.0.saturating_sub(held.renewed_at.0);
                if u128::from(age_ms) < renewal_ms {
                    return Ok(Some(held));
                }
                (held.item, held.repeated_until)
            }
            // An owner that has not released it may have been interrupted at any change until now.
            None => {
                let repeated_until = read.value.owner.is_some().then(|| now.seconds());
                (read, repeated_until)
            }
        };
        item.value.owner = Some(self.options.instance.clone());
        item.value.renewals += 1;
        let written = self.store.write(&item).await?;
        Ok(written.map(|item| HeldLease { item, renewed_at: now, repeated_until }))
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
