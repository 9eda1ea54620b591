//! The handler of changes.

use async_trait::async_trait;
use model::{TimestampMs, TimestampSeconds};

use crate::change_feed::Change;

/// The error of a reaction.
pub type ReactionError = Box<dyn std::error::Error + Send + Sync>;

/// Handles changes. A change may be delivered again after a failure or a crash, so handling must be idempotent.
#[async_trait]
pub trait Reaction<T>: Send + Sync {
    /// Handles changes in order. After an error all of them are delivered again.
    async fn react(
        &self,
        changes: &[Change<T>],
        context: &DeliveryContext,
    ) -> Result<(), ReactionError>;

    /// Whether the position behind these changes is to be written at once. They have been handled. If not, a later
    /// write of the position includes them, and after a crash before that they are delivered again. Return `false` for
    /// changes that need no handling, such as the reaction's own writes: the write and its wait are saved.
    fn needs_checkpoint(&self, _changes: &[Change<T>]) -> bool {
        true
    }
}

/// The origin of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryContext {
    /// Name of the instance that handles them.
    pub instance: String,
    /// Number of the lease. Changes of one lease are delivered in order.
    pub lease: usize,
    /// Number of this attempt, starting at 1.
    pub attempt: u32,
    /// Changes up to this second may have been delivered before, to an instance that had the lease and did not release
    /// it. `None` if there was no such instance.
    pub repeated_until: Option<TimestampSeconds>,
    /// No other instance delivers changes of the lease before this time, unless it takes the lease in order to share
    /// the work.
    pub exclusive_until: TimestampMs,
}

impl DeliveryContext {
    /// Whether this is certainly the first delivery of a change, to any instance. A change without a time of writing
    /// may be a repeated one.
    #[must_use]
    pub fn is_first_delivery<T>(&self, change: &Change<T>) -> bool {
        let written = || change.current.as_ref().and_then(crate::Item::timestamp);
        let is_repeated =
            |until: TimestampSeconds| written().is_none_or(|written| written <= until);
        self.attempt == 1 && !self.repeated_until.is_some_and(is_repeated)
    }
}
