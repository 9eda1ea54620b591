//! What the queue must know of an item that is work, whatever its properties are called.

use client::{PartitionKey, Query};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Expires, Moment};

/// An item that is work: it says how its own properties spell [`State`], and how due and dead ones are found.
pub trait Work: Expires + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its item id.
    fn id(&self) -> &str;

    /// The logical partition it lives in.
    fn partition_key(&self) -> PartitionKey;

    /// When it came in: what is put back into the change feed keeps this order.
    fn created_at(&self) -> Moment;

    /// Where it stands.
    fn state(&self) -> State;

    /// Writes where it stands into its properties. [`Work::state`] must give the same back, to the millisecond; only a
    /// due moment that has passed may come back where none was given.
    fn set_state(&mut self, state: State);

    /// Finds, as whole items (`SELECT *`), work that waits and is due now, and claims whose lease ended, of those with
    /// fewer than so many attempts. Order and part are its choice; an order that no index serves together with the
    /// filter looks at everything that was ever done. Work that waits without a due time may belong to it too: it is
    /// what the change feed missed.
    fn due(now: Moment, attempts_max: u32) -> Query;

    /// Finds, as whole items, work whose attempts are spent: as many as these.
    fn dead(attempts_max: u32) -> Query;

    /// What is stored as the error of an attempt whose worker was lost.
    #[must_use]
    fn lost(owner: &str, until: Moment) -> String {
        format!("the lease of '{owner}' ended at {until}")
    }
}

/// Where work stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What may happen to it next.
    pub stage: Stage,
    /// Attempts that failed, a lost lease included.
    pub attempts: u32,
    /// Why the last one failed.
    pub error: Option<String>,
}

/// What may happen to work next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It may be claimed.
    Waiting {
        /// Not before this moment; at once when absent.
        due: Option<Moment>,
    },
    /// Its last attempt failed, and it may be claimed for another.
    Failed {
        /// Not before this moment.
        due: Moment,
    },
    /// Somebody does it now.
    Claimed {
        /// Who: the instance and a number, different for every claim.
        owner: String,
        /// When somebody else may take over.
        until: Moment,
    },
    /// Nothing: it is done.
    Done,
    /// Nothing, until somebody replays it: its attempts are spent.
    Dead,
}

impl State {
    /// Work nobody has tried.
    #[must_use]
    pub fn fresh() -> Self {
        Self { stage: Stage::Waiting { due: None }, attempts: 0, error: None }
    }

    /// The state to begin another attempt from, or to let others begin it: its worker, if it had one, is counted as
    /// lost. None when nobody may have it now.
    pub(super) fn free<T: Work>(self, now: Moment) -> Option<Self> {
        match self.stage {
            Stage::Waiting { due } if due.is_none_or(|due| due <= now) => Some(self),
            Stage::Failed { due } if due <= now => Some(self),
            Stage::Claimed { ref owner, until } if until <= now => {
                tracing::warn!(owner, until = %until, "the worker that had the work was lost");
                let error = Some(T::lost(owner, until));
                Some(Self { attempts: self.attempts.saturating_add(1), error, ..self })
            }
            _ => None,
        }
    }
}

impl Stage {
    /// Whether somebody may claim it now.
    pub(super) fn is_due(&self, now: Moment) -> bool {
        match self {
            Self::Waiting { due } => due.is_none_or(|due| due <= now),
            Self::Failed { due: at } | Self::Claimed { until: at, .. } => *at <= now,
            Self::Done | Self::Dead => false,
        }
    }
}
