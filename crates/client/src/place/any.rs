//! What every place does: it answers requests.

use async_trait::async_trait;

use crate::call::{Reply, Request};
use crate::error::Result;

use super::Embedded;

/// Answers requests.
#[async_trait]
pub(crate) trait Place: Send + Sync {
    /// Answers one request, once.
    async fn execute(&self, request: &Request) -> Result<Reply>;

    /// Whether it is behind an endpoint.
    fn is_connected(&self) -> bool;

    /// The engine in this process, if this is where requests are answered, and nothing stands before it.
    fn embedded(&self) -> Option<&Embedded> {
        None
    }

    /// Lets go of what the place holds.
    async fn close(&self) -> Result<()>;
}
