//! Invocations of clients by the server that wait for the client's result.

use std::collections::HashMap;
use std::sync::Mutex;

use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use crate::connection::lock;
use crate::error::{HubError, HubErrorKind};
use crate::message::{ClientOutcome, RawItem};

/// What a client answered to an invocation by the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAnswer {
    /// The client's handler returned nothing.
    Void,
    /// A value as JSON text.
    Json(String),
    /// A value in MessagePack.
    MessagePack(Vec<u8>),
    /// The client's handler failed.
    Error(String),
    /// The connection ended first.
    Gone,
}

impl From<ClientOutcome<'_>> for ClientAnswer {
    fn from(outcome: ClientOutcome<'_>) -> Self {
        match outcome {
            ClientOutcome::Void => Self::Void,
            ClientOutcome::Result(RawItem::Json(text)) => Self::Json(text.to_owned()),
            ClientOutcome::Result(RawItem::MessagePack(bytes)) => Self::MessagePack(bytes.to_vec()),
            ClientOutcome::Error(error) => Self::Error(error),
        }
    }
}

impl ClientAnswer {
    /// The answer as a value.
    pub(crate) fn decode<R: DeserializeOwned>(&self) -> Result<R, HubError> {
        let item = match self {
            Self::Void => RawItem::Json("null"),
            Self::Json(text) => RawItem::Json(text),
            Self::MessagePack(bytes) => RawItem::MessagePack(bytes),
            Self::Error(error) => {
                return Err(HubError::new(HubErrorKind::ClientFailed, error.clone()));
            }
            Self::Gone => {
                let message = "the connection ended before the client answered";
                return Err(HubError::new(HubErrorKind::NotConnected, message));
            }
        };
        item.decode().map_err(|reason| {
            let message = format!("the client's result has another type than expected: {reason}");
            HubError::new(HubErrorKind::ClientFailed, message)
        })
    }
}

/// The invocations of clients that were started on this instance.
#[derive(Debug, Default)]
pub(crate) struct PendingAnswers {
    waiting: Mutex<HashMap<String, oneshot::Sender<ClientAnswer>>>,
}

impl PendingAnswers {
    pub(crate) fn expect(&self, id: &str) -> oneshot::Receiver<ClientAnswer> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.waiting).insert(id.to_owned(), sender);
        receiver
    }

    /// Hands the answer over, or back if it is expected on another instance.
    pub(crate) fn resolve(&self, id: &str, answer: ClientAnswer) -> Option<ClientAnswer> {
        match lock(&self.waiting).remove(id) {
            Some(sender) => {
                // The receiver may have given up.
                let _ = sender.send(answer);
                None
            }
            None => Some(answer),
        }
    }

    pub(crate) fn forget(&self, id: &str) {
        lock(&self.waiting).remove(id);
    }
}
