//! What a program does with changes.

use async_trait::async_trait;

use crate::change_feed::Change;

/// Why a reaction did not handle its changes.
pub type ReactionError = Box<dyn std::error::Error + Send + Sync>;

/// Handles changes. It may see a change again, after a failure or a crash, and must have the same effect then.
#[async_trait]
pub trait Reaction<T>: Send + Sync {
    /// Handles changes in their order. An error brings all of them again.
    async fn react(&self, changes: &[Change<T>], context: &Context) -> Result<(), ReactionError>;
}

/// Where changes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Name of the instance that handles them.
    pub instance: String,
    /// Number of the lease: changes of one lease come in their order.
    pub lease: usize,
    /// How often these changes were tried, this time included.
    pub attempt: u32,
}
