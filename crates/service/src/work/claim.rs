//! A claim: the right to work on one item until a lease expires.
//!
//! Owns acquiring it, renewing it and the writes under it. A claim is stored in the item itself, as the owner and the
//! end of the lease, so acquiring one is a write with `If-Match`: of several workers that read the same etag, one
//! succeeds. The owner is a text that is random per claim. It distinguishes this claim from an earlier one of the same
//! worker, whose late write must not succeed. Does not own how an attempt ends: see `completion`.
//!
//! The first attempt at an item that the change feed delivers for the first time needs no write: the lease of the feed
//! keeps other workers from it. Such a claim exists in memory only. Its last write is conditional like every other, so
//! that it fails if somebody else has taken the item meanwhile.

use client::{Container, ErrorKind, Item, Result};

use super::queue::WorkQueue;
use super::worker::WorkError;
use super::{UtcTimestamp, WorkItem, WorkStage, WorkState};

/// Attempts of one write under a claim, if others write the item meanwhile.
const WRITE_ATTEMPTS_MAX: u32 = 20;

/// A claimed item. Dropping it does not release the claim: the lease expires instead, because a drop cannot write.
#[derive(Debug)]
pub struct Claim<T> {
    item: Item<T>,
    owner: String,
    queue: WorkQueue<T>,
    charge: f64,
    /// The stored state of the item, if the claim itself was not written.
    unwritten: Option<WorkState>,
}

/// An item to work on.
#[derive(Clone, Debug)]
pub(super) struct DueItem<T> {
    pub(super) item: Item<T>,
    /// Until when the lease of the change feed keeps other workers from the item; `None` if it may not.
    pub(super) exclusive_until: Option<UtcTimestamp>,
}

/// The result of an attempt to claim an item.
pub(super) enum ClaimAttempt<T> {
    Claimed(Claim<T>),
    /// It is done, claimed by another worker, or not due yet.
    NotDue,
    /// Another writer was first. Its write reaches the queue again through the change feed or the next timer.
    Taken,
    /// Its lease expired once too often, so it was marked as dead instead.
    Dead,
}

impl<T: WorkItem> WorkQueue<T> {
    /// Claims an item that is due or whose lease expired. `None` if it is neither, or another worker was faster.
    ///
    /// # Errors
    /// Those of [`Container::save`]. If the write may have happened anyway, the item is claimed by nobody who knows it,
    /// and becomes available when the lease expires.
    pub async fn claim(&self, item: Item<T>) -> Result<Option<Claim<T>>> {
        Ok(match self.try_claim(DueItem { item, exclusive_until: None }).await? {
            ClaimAttempt::Claimed(claim) => Some(claim),
            ClaimAttempt::NotDue | ClaimAttempt::Taken | ClaimAttempt::Dead => None,
        })
    }

    pub(super) async fn try_claim(&self, due: DueItem<T>) -> Result<ClaimAttempt<T>> {
        let DueItem { mut item, exclusive_until } = due;
        let now = self.now();
        let stored = item.value.state();
        let Some(mut next) = stored.clone().begin_attempt::<T>(now) else {
            return Ok(ClaimAttempt::NotDue);
        };
        self.worker().on_due(&item.value);
        // `begin_attempt` counted an expired lease as an attempt: otherwise an item that kills its worker would be
        // retried for ever.
        let is_dead = next.attempts >= self.settings().attempts_max;
        let owner = self.new_owner();
        // Taken before the write, so the lease is a little shorter than the setting and never longer.
        let until = now.after(self.settings().lease);
        next.stage = match is_dead {
            true => WorkStage::Dead,
            false => WorkStage::Claimed { owner: owner.clone(), until },
        };
        let is_first = stored == WorkState::new();
        if let Some(until) = exclusive_until.map(|end| end.min(until))
            && is_first
            && until > now
        {
            next.stage = WorkStage::Claimed { owner: owner.clone(), until };
            item.value.set_state(next);
            let (queue, unwritten) = (self.clone(), Some(stored));
            return Ok(ClaimAttempt::Claimed(Claim { item, owner, queue, charge: 0.0, unwritten }));
        }
        item.value.set_state(next);
        self.refresh_ttl(&mut item.value, now);
        let key = item.value.partition_key();
        let saved = match self.container().save(&key, &item).await {
            Ok(saved) => saved,
            // Not an error: of several workers that saw the item, one gets it.
            Err(error) if is_write_conflict(error.kind()) => return Ok(ClaimAttempt::Taken),
            Err(error) => return Err(error),
        };
        if is_dead {
            return Ok(ClaimAttempt::Dead);
        }
        let (item, charge) = (saved.value, saved.charge);
        let queue = self.clone();
        Ok(ClaimAttempt::Claimed(Claim { item, owner, queue, charge, unwritten: None }))
    }
}

impl<T: WorkItem> Claim<T> {
    /// The document as it was claimed or last written.
    #[must_use]
    pub fn document(&self) -> &T {
        &self.item.value
    }

    /// The container of the item.
    #[must_use]
    pub fn container(&self) -> &Container {
        self.queue.container()
    }

    /// Request units of this claim so far, including those added by the worker.
    #[must_use]
    pub fn charge(&self) -> f64 {
        self.charge
    }

    /// Adds the charge of a call that the worker made.
    pub fn add_charge(&mut self, charge: f64) {
        self.charge += charge;
    }

    /// Extends the lease.
    ///
    /// # Errors
    /// `Lost` if another worker has the claim; `Retry` if the write failed.
    pub async fn renew(&mut self) -> std::result::Result<(), WorkError> {
        self.record(|_| ()).await
    }

    /// Writes progress into the document and extends the lease. `change` runs again if others wrote the item meanwhile.
    ///
    /// # Errors
    /// `Lost` if another worker has the claim; `Retry` if the write failed.
    pub async fn record(
        &mut self,
        change: impl Fn(&mut T) + Send,
    ) -> std::result::Result<(), WorkError> {
        let (owner, lease) = (self.owner.clone(), self.queue.settings().lease);
        let renewed = |document: &mut T, now: UtcTimestamp| {
            let stage = WorkStage::Claimed { owner: owner.clone(), until: now.after(lease) };
            let state = document.state();
            document.set_state(WorkState { stage, ..state });
            change(document);
        };
        match self.write(renewed).await? {
            ClaimWrite::Written => Ok(()),
            ClaimWrite::Lost | ClaimWrite::Gone => Err(WorkError::Lost),
        }
    }

    /// Writes the item while the claim is ours. A conflict with another writer is resolved by reading the item again
    /// and repeating the change; it fails only if the claim itself has changed hands.
    pub(super) async fn write(
        &mut self,
        change: impl Fn(&mut T, UtcTimestamp),
    ) -> Result<ClaimWrite> {
        let key = self.item.value.partition_key();
        for attempt in 1.. {
            // Checked in each round: the item that was read again may be claimed by somebody else.
            if !self.is_ours() {
                return Ok(ClaimWrite::Lost);
            }
            let now = self.queue.now();
            // The change is applied to a copy, so that a write that fails leaves the last known item.
            let mut item = self.item.clone();
            change(&mut item.value, now);
            self.queue.refresh_ttl(&mut item.value, now);
            let error = match self.queue.container().save(&key, &item).await {
                Ok(saved) => {
                    self.charge += saved.charge;
                    self.item = saved.value;
                    self.unwritten = None;
                    return Ok(ClaimWrite::Written);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ClaimWrite::Gone),
                Err(error) => error,
            };
            if error.kind() != ErrorKind::Precondition || attempt == WRITE_ATTEMPTS_MAX {
                return Err(error);
            }
            // Another writer changed the item. Read it again: if the claim is still ours, the writes did not conflict.
            match self.queue.container().read::<T>(&key, self.item.value.id()).await {
                Ok(read) => {
                    self.charge += read.charge;
                    let claimed = self.item.value.state();
                    self.item = read.value;
                    // Nobody has claimed it, so a claim that was not written is still ours.
                    if self.unwritten == Some(self.item.value.state()) {
                        self.item.value.set_state(claimed);
                    }
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ClaimWrite::Gone),
                Err(error) => return Err(error),
            }
        }
        Ok(ClaimWrite::Lost)
    }

    /// Gives the item back as it was, if the claim was not written: the write alone puts it into the change feed again.
    /// A claim that was written expires instead.
    pub(super) async fn release(&mut self) -> Result<()> {
        let Some(state) = self.unwritten.clone() else { return Ok(()) };
        self.write(|document, _| document.set_state(state.clone())).await?;
        Ok(())
    }

    /// Whether the claim is ours in the item as it was last read.
    fn is_ours(&self) -> bool {
        let stage = self.item.value.state().stage;
        matches!(stage, WorkStage::Claimed { owner, .. } if owner == self.owner)
    }
}

/// The result of a write under a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimWrite {
    Written,
    /// Another worker has the claim.
    Lost,
    /// The item was deleted.
    Gone,
}

/// Whether a conditional write failed because the item has changed or was deleted.
pub(super) fn is_write_conflict(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Precondition | ErrorKind::NotFound)
}
