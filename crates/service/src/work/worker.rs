//! What a system does with work, and the ways it ends.

use std::time::Duration;

use async_trait::async_trait;

use super::{Claim, Moment, Work, Worked};

/// Does work. It may see the same work again after a crash or a lost lease, and must have the same effect then.
#[async_trait]
pub trait Worker<T: Work>: Send + Sync {
    /// Does claimed work. The claim is written by the queue afterwards, by what this answers.
    async fn work(&self, claim: &mut Claim<T>) -> Result<Finish<T>, WorkError>;

    /// Told of work that is due, before it is claimed.
    fn met(&self, _work: &T) {}

    /// Told how a claim ended, when that is written, and with the work as it is then; as it was last seen when it is
    /// gone or somebody else's.
    ///
    /// # Errors
    /// What then failed; the end of the claim stands.
    async fn ended(&self, _work: &T, _ended: Ended) -> client::Result<()> {
        Ok(())
    }

    /// When work that is written as it is now is to be gone, if not when [`super::Expires`] says: for retentions that
    /// an operator chooses.
    fn ends_at(&self, _work: &T, _now: Moment) -> Option<Moment> {
        None
    }
}

/// How a claim ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ended {
    /// What became of the work.
    pub worked: Worked,
    /// Request units of the claim, of its writes and of what the worker added to it.
    pub charge: f64,
}

/// Why work was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkError {
    /// Try again later; it counts as an attempt. The reason is stored, so it must hold no secret.
    Again {
        /// Why.
        reason: String,
        /// Not before this long from now, if that is longer than the back-off.
        delay: Option<Duration>,
    },
    /// No attempt will ever succeed: it is dead at once.
    Never {
        /// Why.
        reason: String,
    },
    /// Somebody else has the claim now, or the item is gone. Nothing is written.
    Lost,
}

/// How an attempt ends, and what is written with it.
pub struct Finish<T> {
    pub(super) end: End,
    pub(super) change: Change<T>,
}

pub(super) type Change<T> = Box<dyn Fn(&mut T) + Send + Sync>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Done,
    Postponed { until: Moment },
    Again { reason: String, delay: Option<Duration> },
}

impl<T> Finish<T> {
    /// It is done.
    #[must_use]
    pub fn done() -> Self {
        Self::by(End::Done)
    }

    /// It is to be done again from that moment on, and nothing failed.
    #[must_use]
    pub fn postponed(until: Moment) -> Self {
        Self::by(End::Postponed { until })
    }

    /// It failed and is to be tried again, as by [`WorkError::Again`]: for an attempt that has something to write.
    #[must_use]
    pub fn again(reason: impl Into<String>, delay: Option<Duration>) -> Self {
        Self::by(End::Again { reason: reason.into(), delay })
    }

    fn by(end: End) -> Self {
        Self { end, change: Box::new(|_| ()) }
    }

    /// What else to write into the document, in the same write, after its state. It runs again when somebody else wrote
    /// the item meanwhile, so it must do nothing but change the document.
    #[must_use]
    pub fn with(self, change: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        Self { change: Box::new(change), ..self }
    }
}

impl<T> std::fmt::Debug for Finish<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Finish").field("end", &self.end).finish_non_exhaustive()
    }
}

impl WorkError {
    /// Try again by the back-off.
    #[must_use]
    pub fn again(reason: impl Into<String>) -> Self {
        Self::Again { reason: reason.into(), delay: None }
    }

    /// Do not try again.
    #[must_use]
    pub fn never(reason: impl Into<String>) -> Self {
        Self::Never { reason: reason.into() }
    }
}

/// A failed data call may succeed later.
impl From<client::Error> for WorkError {
    fn from(error: client::Error) -> Self {
        Self::again(error.to_string())
    }
}
