//! The writing side of a stream: closes the connections of clients that do not read.
//!
//! Owns two timeouts that the HTTP library lacks: how long a client may read nothing of a response, and how long it may
//! take for all of it. Without them a client that does not read would hold one of the limited connections, with the
//! buffers of its response, for ever.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::time::{Sleep, sleep};

use super::connections::ConnectionState;
use super::write_adapter::WriteSide;
use crate::settings::Limits;

/// Timeouts on clients that do not read.
#[derive(Debug)]
pub(super) struct WriteTimeout {
    state: Arc<ConnectionState>,
    /// Runs while a write is pending. Any progress stops it.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Runs from the first pending write until everything is written, so that a client cannot read one byte at a time
    /// for ever.
    whole: Option<Pin<Box<Sleep>>>,
    stalled_max: Duration,
    whole_max: Duration,
}

impl WriteTimeout {
    pub(super) fn new(state: Arc<ConnectionState>, limits: &Limits) -> Self {
        let stalled_max = Duration::from_millis(limits.body_ms_max);
        let whole_max = Duration::from_millis(limits.response_ms_max);
        Self { state, stalled: None, whole: None, stalled_max, whole_max }
    }

    /// Passes on the result of a write, or fails when writes have been pending for too long.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            if self.stalled.take().is_some() {
                self.state.set_write_pending(false);
            }
            return result;
        }
        if self.stalled.is_none() {
            self.state.set_write_pending(true);
        }
        let (stalled_max, whole_max) = (self.stalled_max, self.whole_max);
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stalled_max)));
        let whole = self.whole.get_or_insert_with(|| Box::pin(sleep(whole_max)));
        let is_over = stalled.as_mut().poll(context).is_ready();
        if is_over || whole.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl WriteSide for WriteTimeout {
    fn poll_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(stream).poll_write(context, bytes);
        self.check(context, result)
    }

    fn poll_write_vectored<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(stream).poll_write_vectored(context, slices);
        self.check(context, result)
    }

    fn poll_flush<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(stream).poll_flush(context);
        if result.is_ready() {
            // The library flushes after it has written all that it has.
            self.whole = None;
        }
        self.check(context, result)
    }

    fn poll_shutdown<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(stream).poll_shutdown(context);
        if result.is_ready() {
            return result;
        }
        // Without `set_write_pending`: the responses are written, so the connection may be closed for another one.
        let stalled_max = self.stalled_max;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stalled_max)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}
