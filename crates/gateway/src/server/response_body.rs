//! The body of a response on its way to the client.
//!
//! Owns that its request counts as in progress until the body is handed over, and that a client of HTTP/2 which grants
//! no window for it does not hold it for ever. Does not own the content.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};
use tokio::task::AbortHandle;

use super::connections::{ConnectionState, RequestInProgress};

/// Larger bodies are given to HTTP/2 in pieces of this size, each of them only when the client can take one. Without
/// this the library would buffer a whole body as soon as the client takes one byte of it.
const PIECE_BYTES: usize = 16 * 1024;

/// The body of a response.
#[derive(Debug)]
pub(super) struct ServedBody {
    inner: Full<Bytes>,
    rest: Bytes,
    is_in_pieces: bool,
    watchdog: Option<Watchdog>,
    _request: RequestInProgress,
}

/// Closes the connection of a body that is not handed over in time.
#[derive(Debug)]
struct Watchdog(AbortHandle);

impl ServedBody {
    /// A body of HTTP/1, where the whole response is on one stream and `WriteTimeout` watches it.
    pub(super) fn whole(inner: Full<Bytes>, request: RequestInProgress) -> Self {
        let (rest, is_in_pieces, watchdog) = (Bytes::new(), false, None);
        Self { inner, rest, is_in_pieces, watchdog, _request: request }
    }

    /// A body of HTTP/2, which must be handed over within a time.
    pub(super) fn in_pieces(
        inner: Full<Bytes>,
        request: RequestInProgress,
        state: &Arc<ConnectionState>,
        time_max: Duration,
    ) -> Self {
        let is_large = inner.size_hint().lower() > PIECE_BYTES as u64;
        let watchdog = is_large.then(|| {
            let state = Arc::clone(state);
            let watching = tokio::spawn(async move {
                tokio::time::sleep(time_max).await;
                state.close();
            });
            Watchdog(watching.abort_handle())
        });
        Self { inner, rest: Bytes::new(), is_in_pieces: is_large, watchdog, _request: request }
    }
}

impl Body for ServedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.is_in_pieces {
            return Pin::new(&mut self.inner).poll_frame(context);
        }
        if self.rest.is_empty() {
            let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut self.inner).poll_frame(context) else {
                return Poll::Ready(None);
            };
            self.rest = frame.into_data().unwrap_or_default();
        }
        let length = self.rest.len().min(PIECE_BYTES);
        let piece = self.rest.split_to(length);
        if self.rest.is_empty() {
            self.watchdog = None;
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let inner = self.inner.size_hint().lower();
        SizeHint::with_exact(inner + self.rest.len() as u64)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.abort();
    }
}
