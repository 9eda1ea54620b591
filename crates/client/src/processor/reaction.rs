//! The handler of changes.

use async_trait::async_trait;

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
}
