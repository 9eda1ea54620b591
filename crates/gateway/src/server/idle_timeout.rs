//! A stream adapter that closes idle connections.
//!
//! Owns two timeouts that the HTTP library lacks: how long a client may take to send its first bytes, by which the
//! library detects the version of HTTP, and how long a client may read nothing of a response. Without them a silent
//! client would hold one of the limited connections for ever.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::settings::Limits;

/// Length of the HTTP/2 connection preface. Once this many bytes have arrived, the library knows the version of HTTP
/// and applies its own timeouts.
const PREFACE_BYTES: usize = 24;

/// A stream with timeouts on silent clients.
#[derive(Debug)]
pub(crate) struct IdleTimeout<S> {
    inner: S,
    /// Runs until the preface has arrived. `None` afterwards.
    preface_timeout: Option<Pin<Box<Sleep>>>,
    read_bytes: usize,
    /// Runs while a write is pending because the client does not read.
    write_timeout: Option<Pin<Box<Sleep>>>,
    write_ms_max: u64,
}

impl<S> IdleTimeout<S> {
    pub(crate) fn new(inner: S, limits: &Limits) -> Self {
        let preface_timeout = Box::pin(sleep(Duration::from_millis(limits.head_ms_max)));
        let write_ms_max = limits.body_ms_max;
        Self {
            inner,
            preface_timeout: Some(preface_timeout),
            read_bytes: 0,
            write_timeout: None,
            write_ms_max,
        }
    }

    /// Passes on the result of a write, or fails when writes have been pending for too long.
    fn check_write_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            // Any progress restarts the timeout.
            self.write_timeout = None;
            return result;
        }
        let wait = Duration::from_millis(self.write_ms_max);
        let timeout = self.write_timeout.get_or_insert_with(|| Box::pin(sleep(wait)));
        ready!(timeout.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        // The usual case after the first request: one comparison per read.
        if self.preface_timeout.is_none() {
            return read;
        }
        if let Poll::Ready(result) = read {
            self.read_bytes += buffer.filled().len() - before;
            if self.read_bytes >= PREFACE_BYTES {
                self.preface_timeout = None;
            }
            return Poll::Ready(result);
        }
        if let Some(timeout) = &mut self.preface_timeout {
            ready!(timeout.as_mut().poll(context));
        }
        // Reading nothing means end of stream: the library closes the connection as if the client had.
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.check_write_timeout(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.check_write_timeout(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_flush(context);
        self.check_write_timeout(context, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_shutdown(context);
        self.check_write_timeout(context, result)
    }
}
