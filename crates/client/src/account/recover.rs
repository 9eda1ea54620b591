//! Decide whether a repeated write was refused because of its own earlier attempt.
//!
//! When the response of an attempt was lost, the write may have been executed, and the next attempt is then refused
//! because of it. Such a refusal is a success. Any other refusal is returned to the caller.

use model::{Json, Object, is_system_property};

use crate::error::{Error, ErrorKind, Result};
use crate::request::{BackendRequest, BackendResponse, ItemAddress, ResponseBody};

use super::Account;

impl Account {
    /// The response to a write whose earlier attempt may have been executed, after a later attempt was refused.
    pub(super) async fn recover(
        &self,
        request: &BackendRequest,
        refusal: Error,
    ) -> Result<BackendResponse> {
        match (request, refusal.kind()) {
            (BackendRequest::Create { address, item }, ErrorKind::Conflict)
            // The etag has changed, perhaps by our own first attempt.
            | (BackendRequest::Replace { address, item, .. }, ErrorKind::Precondition)
            | (BackendRequest::Upsert { address, item, .. }, ErrorKind::Precondition) => {
                self.compare_content(address, item, refusal).await
            }
            // The item does not exist, which is what the caller wanted.
            (BackendRequest::Delete { .. }, ErrorKind::NotFound) => {
                Ok(BackendResponse::empty(self.environment()))
            }
            _ => Err(refusal),
        }
    }

    /// A success if the stored item has the content that was to be written; otherwise the refusal.
    async fn compare_content(
        &self,
        address: &ItemAddress,
        item: &Json,
        refusal: Error,
    ) -> Result<BackendResponse> {
        let read = BackendRequest::Read {
            address: address.clone(),
            session_token: None,
            if_none_match: None,
        };
        // One attempt, without retries: if the item cannot be read, the refusal is the honest answer.
        let Ok(response) = self.backend().execute(read).await else { return Err(refusal) };
        let stored = match &response.body {
            ResponseBody::Item(text) => Json::parse(text).ok(),
            _ => None,
        };
        match stored {
            // By content, not by etag: the etag of a write whose response was lost is not known. If somebody else
            // wrote the same content, the caller cannot tell the difference either.
            Some(stored) if own_properties(&stored) == own_properties(item) => {
                tracing::info!(id = %address.id, "the response was lost, but the write was executed");
                Ok(response)
            }
            _ => Err(refusal),
        }
    }
}

/// The properties of an item without system properties.
fn own_properties(item: &Json) -> Option<Object> {
    let mut own = Object::new();
    for (name, value) in item.as_object()?.iter().filter(|(name, _)| !is_system_property(name)) {
        own.insert(name, value.clone());
    }
    Some(own)
}
