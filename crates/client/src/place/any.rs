//! What every place does: it answers requests.

use async_trait::async_trait;

use crate::call::{Reply, Request};
use crate::error::Result;

/// Answers requests.
#[async_trait]
pub(crate) trait Place: Send + Sync {
    /// Answers one request, once.
    async fn execute(&self, request: &Request) -> Result<Reply>;

    /// Whether it is behind an endpoint.
    fn is_connected(&self) -> bool;

    /// Lets go of what the place holds.
    async fn close(&self) -> Result<()>;
}
