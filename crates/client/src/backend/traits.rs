//! The interface of a backend.

use async_trait::async_trait;

use crate::error::Result;
use crate::request::{BackendRequest, BackendResponse};

use super::EmbeddedBackend;

/// Executes requests.
#[async_trait]
pub(crate) trait Backend: Send + Sync {
    /// Executes one request, once. Takes it by value, because the engine needs items by value.
    async fn execute(&self, request: BackendRequest) -> Result<BackendResponse>;

    /// Whether the backend is behind an endpoint.
    fn is_connected(&self) -> bool;

    /// The backend itself if it is embedded, for calls that skip the request.
    fn as_embedded(&self) -> Option<&EmbeddedBackend> {
        None
    }

    /// Releases the resources of the backend.
    async fn close(&self) -> Result<()>;
}
