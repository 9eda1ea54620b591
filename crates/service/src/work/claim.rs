//! A claim: the right to end one work, for as long as nobody else took it.
//!
//! Owns taking it, keeping it and the writes under it. A claim is known by its owner, a text drawn for this claim
//! alone, so that no write of an earlier claim can pass for one of this. Does not own how work ends: see `end`.

use client::{Container, ErrorKind, Item, Result};

use super::queue::Queue;
use super::worker::WorkError;
use super::{Moment, Stage, State, Work};

/// Rounds of one write under a claim, when others write other properties of the item meanwhile.
const ROUNDS_MAX: u32 = 20;

/// Work that is ours for a while. Dropped, it stays claimed until its lease ends.
#[derive(Debug)]
pub struct Claim<T> {
    item: Item<T>,
    owner: String,
    queue: Queue<T>,
    charge: f64,
}

/// What an attempt to claim came to.
pub(super) enum Claiming<T> {
    Claimed(Claim<T>),
    /// It is done, claimed by somebody else, or not due yet.
    NotDue,
    /// Somebody else wrote it first; whoever did is seen by the change feed or the next timer.
    Taken,
    /// Its lease was lost once too often.
    Dead,
}

impl<T: Work> Queue<T> {
    /// Claims work that waits and is due, or whose lease ended; none when it does not, or somebody else was faster.
    ///
    /// # Errors
    /// Those of [`Container::save`]. If the write may have happened, the claim stands without an owner and its lease
    /// ends.
    pub async fn claim(&self, item: Item<T>) -> Result<Option<Claim<T>>> {
        Ok(match self.try_claim(item).await? {
            Claiming::Claimed(claim) => Some(claim),
            Claiming::NotDue | Claiming::Taken | Claiming::Dead => None,
        })
    }

    pub(super) async fn try_claim(&self, mut item: Item<T>) -> Result<Claiming<T>> {
        let now = self.now();
        let Some(mut next) = item.value.state().free::<T>(now) else {
            return Ok(Claiming::NotDue);
        };
        self.worker().met(&item.value);
        let is_dead = next.attempts >= self.settings().attempts_max;
        let owner = self.new_owner();
        let until = now.after(self.settings().lease);
        next.stage = match is_dead {
            true => Stage::Dead,
            false => Stage::Claimed { owner: owner.clone(), until },
        };
        item.value.set_state(next);
        self.refresh_ttl(&mut item.value, now);
        let key = item.value.partition_key();
        let saved = match self.container().save(&key, &item).await {
            Ok(saved) => saved,
            Err(error) if is_taken(error.kind()) => return Ok(Claiming::Taken),
            Err(error) => return Err(error),
        };
        if is_dead {
            return Ok(Claiming::Dead);
        }
        let (item, charge) = (saved.value, saved.charge);
        Ok(Claiming::Claimed(Claim { item, owner, queue: self.clone(), charge }))
    }
}

impl<T: Work> Claim<T> {
    /// The document as it was claimed or last recorded.
    #[must_use]
    pub fn document(&self) -> &T {
        &self.item.value
    }

    /// The container it lives in.
    #[must_use]
    pub fn container(&self) -> &Container {
        self.queue.container()
    }

    /// Request units of the claim so far, with what was added to it.
    #[must_use]
    pub fn charge(&self) -> f64 {
        self.charge
    }

    /// Adds what a call of the worker cost.
    pub fn add_charge(&mut self, charge: f64) {
        self.charge += charge;
    }

    /// Keeps the claim for another lease.
    ///
    /// # Errors
    /// `Lost` when somebody else has it; `Again` when the write failed.
    pub async fn renew(&mut self) -> std::result::Result<(), WorkError> {
        self.record(|_| ()).await
    }

    /// Writes a step that is done into the document and keeps the claim for another lease. `change` runs again when
    /// somebody else wrote the item meanwhile.
    ///
    /// # Errors
    /// `Lost` when somebody else has the claim; `Again` when the write failed.
    pub async fn record(
        &mut self,
        change: impl Fn(&mut T) + Send,
    ) -> std::result::Result<(), WorkError> {
        let (owner, lease) = (self.owner.clone(), self.queue.settings().lease);
        let renewed = |document: &mut T, now: Moment| {
            let stage = Stage::Claimed { owner: owner.clone(), until: now.after(lease) };
            let state = document.state();
            document.set_state(State { stage, ..state });
            change(document);
        };
        match self.write(renewed).await? {
            Written::Yes => Ok(()),
            Written::Lost | Written::Gone => Err(WorkError::Lost),
        }
    }

    /// Writes under the claim: only while the stored item says that it is ours.
    pub(super) async fn write(&mut self, change: impl Fn(&mut T, Moment)) -> Result<Written> {
        let key = self.item.value.partition_key();
        for round in 1.. {
            if !self.is_ours() {
                return Ok(Written::Lost);
            }
            let now = self.queue.now();
            let mut item = self.item.clone();
            change(&mut item.value, now);
            self.queue.refresh_ttl(&mut item.value, now);
            let error = match self.queue.container().save(&key, &item).await {
                Ok(saved) => {
                    self.charge += saved.charge;
                    self.item = saved.value;
                    return Ok(Written::Yes);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Written::Gone),
                Err(error) => error,
            };
            if error.kind() != ErrorKind::Precondition || round == ROUNDS_MAX {
                return Err(error);
            }
            // Somebody wrote it. If the claim is still ours then, they changed something else.
            match self.queue.container().read::<T>(&key, self.item.value.id()).await {
                Ok(read) => {
                    self.charge += read.charge;
                    self.item = read.value;
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Written::Gone),
                Err(error) => return Err(error),
            }
        }
        Ok(Written::Lost)
    }

    /// Whether the item, as last seen, says that the claim is ours.
    fn is_ours(&self) -> bool {
        let stage = self.item.value.state().stage;
        matches!(stage, Stage::Claimed { owner, .. } if owner == self.owner)
    }
}

/// What became of a write under a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Yes,
    /// Somebody else has the claim.
    Lost,
    /// The item is gone.
    Gone,
}

/// Whether a guarded write was refused because the item is another now, or gone.
pub(super) fn is_taken(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Precondition | ErrorKind::NotFound)
}
