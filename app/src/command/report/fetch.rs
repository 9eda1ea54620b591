//! Fetches the usage document of a running server.

use gateway::AccountKey;
use reqwest::Method;

use crate::error::CommandError;
use crate::server_call::ServerCall;

/// Fetches the usage document as text.
pub(super) async fn fetch(endpoint: &str, key: &AccountKey) -> Result<Vec<u8>, CommandError> {
    let call = ServerCall { endpoint, key };
    call.send("requesting the usage of", Method::GET, "/_planisphere/usage", Vec::new()).await
}
