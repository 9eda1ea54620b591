//! What every place does: it answers requests.

use async_trait::async_trait;

use crate::call::{Reply, Request};
use crate::error::Result;

/// Answers requests.
#[async_trait]
pub(crate) trait Place: Send + Sync {
    /// Answers one request, once.
    async fn execute(&self, request: &Request) -> Result<Reply>;

    /// Lets go of what the place holds.
    async fn close(&self) -> Result<()>;
}
