//! What a repeated write found: its own effect, or somebody else's.
//!
//! Owns the question after a lost answer. The first attempt may have been done; the second is then refused because of
//! it. A refusal that the first attempt explains is a success; any other stands.

use model::{Json, Object, is_system_property};

use crate::account::Account;
use crate::error::{Error, ErrorKind, Result};

use super::{At, Body, Reply, Request};

impl Account {
    /// The reply of a write whose earlier attempt may have been done, after `refusal` of a later one.
    pub(super) async fn settle(&self, request: &Request, refusal: Error) -> Result<Reply> {
        match (request, refusal.kind()) {
            (Request::Create { at, item }, ErrorKind::Conflict)
            | (Request::Replace { at, item, .. }, ErrorKind::Precondition)
            | (Request::Upsert { at, item, .. }, ErrorKind::Precondition) => {
                self.settle_content(at, item, refusal).await
            }
            // It is gone, which is what was asked for.
            (Request::Delete { .. }, ErrorKind::NotFound) => Ok(self.empty_reply()),
            _ => Err(refusal),
        }
    }

    /// A success if the stored item says what was to be written; otherwise the refusal stands.
    async fn settle_content(&self, at: &At, item: &Json, refusal: Error) -> Result<Reply> {
        let read = Request::Read { at: at.clone(), session_token: None, unless: None };
        let Ok(reply) = self.place().execute(&read).await else { return Err(refusal) };
        let stored = match &reply.body {
            Body::Item(text) => Json::parse(text).ok(),
            _ => None,
        };
        match stored {
            Some(stored) if own_properties(&stored) == own_properties(item) => {
                tracing::info!(id = %at.id, "the answer was lost, the write was done");
                Ok(reply)
            }
            _ => Err(refusal),
        }
    }
}

/// An item without what the account adds to it.
fn own_properties(item: &Json) -> Option<Object> {
    let mut own = Object::new();
    for (name, value) in item.as_object()?.iter().filter(|(name, _)| !is_system_property(name)) {
        own.insert(name, value.clone());
    }
    Some(own)
}
