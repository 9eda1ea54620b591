//! What the queue must know about an item, whatever its properties are called.

use client::{PartitionKey, Query};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Expires, UtcTimestamp};

/// An item of a queue: maps its own properties to a [`WorkState`], and finds due and dead items.
pub trait WorkItem: Expires + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its item id.
    fn id(&self) -> &str;

    /// The logical partition it lives in.
    fn partition_key(&self) -> PartitionKey;

    /// When it was created. Items released into the change feed keep this order.
    fn created_at(&self) -> UtcTimestamp;

    /// Its state.
    fn state(&self) -> WorkState;

    /// Writes the state into its properties. [`WorkItem::state`] must return the same, to the millisecond. The only
    /// exception: a due time that has passed may be returned where there was none.
    fn set_state(&mut self, state: WorkState);

    /// The query for items that are due now and for claims whose lease expired, with fewer than `attempts_max`
    /// attempts. It returns whole items (`SELECT *`). Choose an order that an index serves together with the filter;
    /// otherwise the query scans every item that was ever completed. It may include items that wait without a due time:
    /// those that the change feed missed.
    fn due(now: UtcTimestamp, attempts_max: u32) -> Query;

    /// The query for items with `attempts_max` failed attempts. It returns whole items.
    fn dead(attempts_max: u32) -> Query;

    /// The error to store for an attempt whose worker was lost.
    #[must_use]
    fn lost_worker_error(owner: &str, until: UtcTimestamp) -> String {
        format!("the lease of '{owner}' ended at {until}")
    }
}

/// The state of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkState {
    /// Its stage.
    pub stage: WorkStage,
    /// Number of failed attempts, including expired leases.
    pub attempts: u32,
    /// The error of the last one.
    pub error: Option<String>,
}

/// What may happen to an item next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkStage {
    /// It may be claimed.
    Waiting {
        /// Not before this time; at once if absent.
        due: Option<UtcTimestamp>,
    },
    /// Its last attempt failed. It may be claimed for another.
    Failed {
        /// Not before this time.
        due: UtcTimestamp,
    },
    /// A worker has claimed it.
    Claimed {
        /// The owner of the claim: the instance and a random number.
        owner: String,
        /// The end of the lease, after which others may claim it.
        until: UtcTimestamp,
    },
    /// It is done; nothing happens any more.
    Done,
    /// Its attempts are used up; nothing happens until it is replayed.
    Dead,
}

impl Default for WorkState {
    fn default() -> Self {
        Self::new()
    }
}

impl WorkState {
    /// The state of a new item.
    #[must_use]
    pub fn new() -> Self {
        Self { stage: WorkStage::Waiting { due: None }, attempts: 0, error: None }
    }

    /// The state from which another attempt begins: an expired lease counts as a failed attempt. `None` if the item is
    /// not available now.
    pub(super) fn begin_attempt<T: WorkItem>(self, now: UtcTimestamp) -> Option<Self> {
        match self.stage {
            WorkStage::Waiting { due } if due.is_none_or(|due| due <= now) => Some(self),
            WorkStage::Failed { due } if due <= now => Some(self),
            // By our clock, while the end was computed by another's. Leases must be much longer than clocks differ.
            WorkStage::Claimed { ref owner, until } if until <= now => {
                tracing::warn!(owner, until = %until, "the lease of a worker expired");
                let error = Some(T::lost_worker_error(owner, until));
                Some(Self { attempts: self.attempts.saturating_add(1), error, ..self })
            }
            _ => None,
        }
    }
}

impl WorkStage {
    /// Whether it may be claimed now.
    pub(super) fn is_due(&self, now: UtcTimestamp) -> bool {
        match self {
            Self::Waiting { due } => due.is_none_or(|due| due <= now),
            Self::Failed { due: at } | Self::Claimed { until: at, .. } => *at <= now,
            Self::Done | Self::Dead => false,
        }
    }
}
