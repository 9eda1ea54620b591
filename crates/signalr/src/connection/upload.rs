//! Streams of items that a client sends to a hub method.
//!
//! Does not own which stream ids are open; see `dispatch.rs`.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use futures::Stream;
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::error::{HubError, HubErrorKind};
use crate::message::RawItem;

/// Items that a client sends while a hub method runs: a parameter of the method.
///
/// The stream ends when the client completes it. It yields an error if the client ends it with one, if an item has the
/// wrong type, or if the connection ends first.
#[derive(Debug)]
pub struct UploadStream<T> {
    items: mpsc::Receiver<T>,
    end: Arc<OnceLock<Result<(), String>>>,
    is_over: bool,
}

impl<T: Unpin> Stream for UploadStream<T> {
    type Item = Result<T, HubError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let Poll::Ready(item) = this.items.poll_recv(context) else { return Poll::Pending };
        if let Some(item) = item {
            return Poll::Ready(Some(Ok(item)));
        }
        this.is_over = true;
        let (kind, message) = match this.end.get() {
            Some(Ok(())) => return Poll::Ready(None),
            Some(Err(message)) => (HubErrorKind::ClientFailed, message.clone()),
            None => {
                (HubErrorKind::NotConnected, "The underlying connection was closed.".to_owned())
            }
        };
        Poll::Ready(Some(Err(HubError::new(kind, message))))
    }
}

/// The sending side of an upload stream, without the type of its items.
pub(super) trait UploadSink: Send {
    /// Hands an item over. The future waits for room and must end before the next item.
    fn push(&mut self, item: RawItem<'_>) -> Result<Option<BoxFuture<'static, ()>>, String>;
    /// Ends the stream, with the error of the client if it gave one.
    fn complete(self: Box<Self>, error: Option<String>);
}

struct TypedSink<T> {
    items: mpsc::Sender<T>,
    end: Arc<OnceLock<Result<(), String>>>,
}

/// Both sides of a new stream.
pub(super) fn upload_stream<T: DeserializeOwned + Send + 'static>(
    buffer_items: usize,
) -> (UploadStream<T>, Box<dyn UploadSink>) {
    let (sender, items) = mpsc::channel(buffer_items.max(1));
    let end = Arc::new(OnceLock::new());
    let stream = UploadStream { items, end: Arc::clone(&end), is_over: false };
    (stream, Box::new(TypedSink { items: sender, end }))
}

impl<T: DeserializeOwned + Send + 'static> UploadSink for TypedSink<T> {
    fn push(&mut self, item: RawItem<'_>) -> Result<Option<BoxFuture<'static, ()>>, String> {
        match self.items.try_send(item.decode()?) {
            // A method that no longer listens has all it wants.
            Ok(()) | Err(TrySendError::Closed(_)) => Ok(None),
            Err(TrySendError::Full(item)) => {
                let items = self.items.clone();
                Ok(Some(Box::pin(async move { drop(items.send(item).await) })))
            }
        }
    }

    fn complete(self: Box<Self>, error: Option<String>) {
        // Set before the sender is dropped, so that the reader finds it at the end.
        let _ = self.end.set(error.map_or(Ok(()), Err));
    }
}
