//! A connection that does not wait for ever for its client.
//!
//! Owns two bounds that the HTTP library does not have: how long a client may take to say which HTTP it speaks, and how
//! long it may take none of what it is sent. Without them a client that falls silent keeps its place among the
//! connections.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::settings::Limits;

/// Bytes by which HTTP/2 is told from HTTP/1; until then the library waits without a bound.
const GREETING_BYTES: usize = 24;

/// A stream with bounds on silence.
#[derive(Debug)]
pub(crate) struct Patient<S> {
    inner: S,
    /// Runs until the client has greeted.
    greeting: Option<Pin<Box<Sleep>>>,
    read_bytes: usize,
    /// Runs while the client takes nothing.
    stall: Option<Pin<Box<Sleep>>>,
    stall_ms_max: u64,
}

impl<S> Patient<S> {
    pub(crate) fn new(inner: S, limits: &Limits) -> Self {
        let greeting = Box::pin(sleep(Duration::from_millis(limits.head_ms_max)));
        let stall_ms_max = limits.body_ms_max;
        Self { inner, greeting: Some(greeting), read_bytes: 0, stall: None, stall_ms_max }
    }

    /// What the inner stream said about writing, unless it has been saying "wait" for too long.
    fn unless_stalled<T>(
        &mut self,
        context: &mut Context<'_>,
        said: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if said.is_ready() {
            self.stall = None;
            return said;
        }
        let wait = Duration::from_millis(self.stall_ms_max);
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(wait)));
        ready!(stall.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        if self.greeting.is_none() {
            return read;
        }
        if let Poll::Ready(result) = read {
            self.read_bytes += buffer.filled().len() - before;
            if self.read_bytes >= GREETING_BYTES {
                self.greeting = None;
            }
            return Poll::Ready(result);
        }
        if let Some(greeting) = &mut self.greeting {
            ready!(greeting.as_mut().poll(context));
        }
        // As if the client had gone.
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let said = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.unless_stalled(context, said)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let said = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.unless_stalled(context, said)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let said = Pin::new(&mut self.inner).poll_flush(context);
        self.unless_stalled(context, said)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let said = Pin::new(&mut self.inner).poll_shutdown(context);
        self.unless_stalled(context, said)
    }
}
