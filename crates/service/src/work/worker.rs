//! The worker of a queue, and how its attempts end.

use std::time::Duration;

use async_trait::async_trait;

use super::{Claim, UtcTimestamp, WorkItem, WorkResult};

/// Works on items. It may get the same item again after a crash or an expired lease, so its effects must be idempotent:
/// derive the ids of what it writes from the item.
#[async_trait]
pub trait Worker<T: WorkItem>: Send + Sync {
    /// Works on a claimed item. The queue writes the returned result afterwards.
    async fn work(&self, claim: &mut Claim<T>) -> Result<WorkCompletion<T>, WorkError>;

    /// Called for an item that is due, before it is claimed.
    fn on_due(&self, _work: &T) {}

    /// Called after the result of a claim was written, with the item as it is then; or as it was last read, if it was
    /// deleted or belongs to another worker.
    ///
    /// # Errors
    /// What failed here. The result of the claim stays as it was written.
    async fn on_claim_end(&self, _work: &T, _ended: ClaimSummary) -> client::Result<()> {
        Ok(())
    }

    /// When an item that is written now expires, instead of the time given by [`super::Expires`]: for retentions that
    /// an operator chooses.
    fn expires_at(&self, _work: &T, _now: UtcTimestamp) -> Option<UtcTimestamp> {
        None
    }
}

/// The result of a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimSummary {
    /// The result.
    pub result: WorkResult,
    /// Request units of the claim: of its writes, and those the worker added.
    pub charge: f64,
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkError {
    /// Retry later; the attempt counts. The reason is stored, so it must not contain secrets.
    Retry {
        /// Why.
        reason: String,
        /// The minimum delay, if it is longer than the back-off.
        delay: Option<Duration>,
    },
    /// No attempt can succeed: the item is dead at once.
    Permanent {
        /// Why.
        reason: String,
    },
    /// Another worker has the claim, or the item was deleted. Nothing is written.
    Lost,
}

/// How an attempt ends, and what else is written with the result.
pub struct WorkCompletion<T> {
    pub(super) kind: CompletionKind,
    pub(super) change: DocumentChange<T>,
}

pub(super) type DocumentChange<T> = Box<dyn Fn(&mut T) + Send + Sync>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompletionKind {
    Done,
    Postponed { until: UtcTimestamp },
    Retry { reason: String, delay: Option<Duration> },
}

impl<T> WorkCompletion<T> {
    /// The item is done.
    #[must_use]
    pub fn done() -> Self {
        Self::new(CompletionKind::Done)
    }

    /// The item is due again at that time; nothing failed.
    #[must_use]
    pub fn postponed(until: UtcTimestamp) -> Self {
        Self::new(CompletionKind::Postponed { until })
    }

    /// The attempt failed and is retried, as with [`WorkError::Retry`]: for attempts that have something to write.
    #[must_use]
    pub fn retry(reason: impl Into<String>, delay: Option<Duration>) -> Self {
        Self::new(CompletionKind::Retry { reason: reason.into(), delay })
    }

    fn new(kind: CompletionKind) -> Self {
        Self { kind, change: Box::new(|_| ()) }
    }

    /// Adds a change of the document to the same write, applied after its state. It runs again if others wrote the item
    /// meanwhile, so it must have no other effect.
    #[must_use]
    pub fn with(self, change: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        Self { change: Box::new(change), ..self }
    }
}

impl<T> std::fmt::Debug for WorkCompletion<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("WorkCompletion").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl WorkError {
    /// Retry after the back-off.
    #[must_use]
    pub fn retry(reason: impl Into<String>) -> Self {
        Self::Retry { reason: reason.into(), delay: None }
    }

    /// Do not retry.
    #[must_use]
    pub fn permanent(reason: impl Into<String>) -> Self {
        Self::Permanent { reason: reason.into() }
    }
}

/// A failed data call may succeed later, so the attempt is retried.
impl From<client::Error> for WorkError {
    fn from(error: client::Error) -> Self {
        Self::retry(error.to_string())
    }
}
