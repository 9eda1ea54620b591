//! One round of sharing: renew what is held, see what others hold, take what is due.
//!
//! Owns `run_once`, which adds one page of every held lease: the whole processor as a single step, for tests and for
//! embedders with their own loop.

use std::sync::Arc;

use super::balance::balance;
use super::checkpoint::{Halt, Held};
use super::cover::Initialised;
use super::lease::Lease;
use super::page::PageEnd;
use super::run::{Inner, Processor};
use crate::{Error, Result};

/// What one round did.
#[derive(Debug, Default)]
pub struct Round {
    /// Leases taken.
    pub taken: usize,
    /// Leases lost.
    pub lost: usize,
    /// Leases held at the end.
    pub held: usize,
    /// Leases replaced by those of their parts after a split.
    pub split: usize,
    /// Pages handled to their end and checkpointed.
    pub pages: usize,
    /// Changes on these pages.
    pub changes: usize,
    /// Changes of these that were parked.
    pub parked: usize,
    /// Pages that failed and wait for another attempt.
    pub waiting: usize,
    /// Whether another round would find changes at once.
    pub more: bool,
    /// Operations that failed on single leases; the others went on.
    pub errors: Vec<Error>,
}

impl Processor {
    /// One round: shares the leases and handles one page of each lease held. Leases are not renewed while the reaction
    /// runs, as they are by [`Processor::start`]: it has to be done before they expire.
    ///
    /// # Errors
    /// `Invalid` while the processor is started or when the leases belong to another container, and those of the
    /// operations on the lease container. What fails for one lease only is in the report.
    pub async fn run_once(&self) -> Result<Round> {
        let _turn = self.idle().await?;
        let inner = self.inner();
        let mut round = Round::default();
        inner.share(&mut round).await?;
        for held in inner.held() {
            let end = inner.page(&held).await;
            inner.note(&held, end, &mut round);
        }
        round.held = inner.held().len();
        Ok(round)
    }
}

impl Inner {
    /// Renews, looks and takes.
    pub(crate) async fn share(&self, round: &mut Round) -> Result<Initialised> {
        if self.initialise().await? == Initialised::Elsewhere {
            return Ok(Initialised::Elsewhere);
        }
        for held in self.held() {
            let renewed = held.renew(&self.store, self.environment(), self.renewal_due()).await;
            if let Err(halt) = renewed {
                self.note(&held, Err(halt), round);
            }
        }
        let leases = self.store.list().await?;
        self.drop_stolen(&leases, round);
        let held: Vec<_> = self.held().iter().map(|held| held.range.clone()).collect();
        let settings = &self.settings;
        let plan = balance(&settings.instance, &held, &leases, self.now(), settings.lease_expiry);
        for range in plan.take.iter().chain(&plan.steal) {
            let Some(lease) = leases.iter().find(|lease| lease.range == *range) else { continue };
            if self.take(lease).await? {
                round.taken += 1;
            }
        }
        Ok(Initialised::Done)
    }

    /// Adds what happened to a page to a report.
    pub(crate) fn note(
        &self,
        held: &Arc<Held>,
        end: std::result::Result<PageEnd, Halt>,
        round: &mut Round,
    ) {
        match end {
            Ok(PageEnd::Handled { changes, parked }) => {
                round.pages += 1;
                round.changes += changes;
                round.parked += parked;
                round.more = true;
            }
            Ok(PageEnd::Passed) => round.more = true,
            Ok(PageEnd::Nothing) => {}
            Ok(PageEnd::Waiting) => round.waiting += 1,
            Ok(PageEnd::Split) => {
                round.split += 1;
                round.more = true;
            }
            Err(Halt::Lost) => {
                self.forget(held);
                round.lost += 1;
            }
            Err(Halt::Failed(error)) => {
                self.remember(&error);
                round.errors.push(error);
            }
        }
    }

    /// Stops work on leases that the list shows with another owner.
    fn drop_stolen(&self, leases: &[Lease], round: &mut Round) {
        for held in self.held() {
            let seen = leases.iter().find(|lease| lease.range == held.range);
            let is_mine = |lease: &Lease| lease.owner.as_ref() == Some(&self.settings.instance);
            if seen.is_some_and(|lease| !is_mine(lease)) {
                self.forget(&held);
                round.lost += 1;
            }
        }
    }

    /// Takes a lease as it was seen; when somebody else was first, it is theirs.
    async fn take(&self, seen: &Lease) -> Result<bool> {
        let mut lease = seen.clone();
        lease.owner = Some(self.settings.instance.clone());
        lease.renewed = self.now();
        match self.store.replace(&lease).await? {
            Some(lease) => {
                self.hold(lease);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}
