//! A stream adapter for what the HTTP library lacks: it refuses bare line feeds, and closes without losing a response.
//!
//! Owns both, for the reading side of a connection. Does not own timeouts of writes; see `write_timeout`.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::head_scanner::HeadScanner;

/// How much of an unfinished request is read and discarded after the last response.
const LINGER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long that may take.
const LINGER_MAX: Duration = Duration::from_secs(5);
/// What the library gets in place of a bare line feed: a byte that is valid in no line, so that it responds 400, and
/// the end of a head, without which it would wait for more.
const INVALID_END: &[u8] = b"\0\r\n\r\n";
const DISCARDED_AT_ONCE: usize = 16 * 1024;

/// A stream that refuses bare line feeds and lingers when it is closed.
#[derive(Debug)]
pub(super) struct StrictStream<S> {
    inner: S,
    scanner: HeadScanner,
    is_at_end: bool,
    /// After a bare line feed: what is left of `INVALID_END`.
    refusal: Option<&'static [u8]>,
    closing: Option<Lingering>,
}

#[derive(Debug)]
struct Lingering {
    timeout: Pin<Box<Sleep>>,
    discarded: usize,
    buffer: Box<[u8]>,
}

impl<S> StrictStream<S> {
    pub(super) fn new(inner: S) -> Self {
        let scanner = HeadScanner::default();
        Self { inner, scanner, is_at_end: false, refusal: None, closing: None }
    }
}

impl<S: AsyncRead + Unpin> StrictStream<S> {
    /// Reads and discards what the client still sends.
    ///
    /// A system that closes a socket with unread bytes resets the connection, and the client may then lose a response
    /// that is already on its way, or fail to send the rest of its body before it reads the response.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(lingering) = &mut self.closing else { return Poll::Ready(()) };
        while lingering.discarded < LINGER_BYTES_MAX {
            let mut buffer = ReadBuf::new(&mut lingering.buffer);
            match Pin::new(&mut self.inner).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    lingering.discarded += buffer.filled().len();
                }
                Poll::Ready(_) => break,
                Poll::Pending => {
                    ready!(lingering.timeout.as_mut().poll(context));
                    break;
                }
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StrictStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.refusal.is_none() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
            let new = buffer.filled().get(before..).unwrap_or_default();
            self.is_at_end |= new.is_empty();
            let Some(line_feed) = self.scanner.scan(new) else { return Poll::Ready(Ok(())) };
            buffer.set_filled(before + line_feed);
            self.refusal = Some(INVALID_END);
        }
        let rest = self.refusal.unwrap_or_default();
        // Without a rest this is an end of the stream: the library has got all that it gets.
        let (now, later) = rest.split_at(rest.len().min(buffer.remaining()));
        buffer.put_slice(now);
        self.refusal = Some(later);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for StrictStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closing.is_none() {
            // First the end of our responses, so that the client can read them to their end while we linger.
            ready!(Pin::new(&mut self.inner).poll_shutdown(context))?;
            if self.is_at_end || !self.scanner.is_mid_request() {
                return Poll::Ready(Ok(()));
            }
            self.closing = Some(Lingering {
                timeout: Box::pin(sleep(LINGER_MAX)),
                discarded: 0,
                buffer: vec![0; DISCARDED_AT_ONCE].into_boxed_slice(),
            });
        }
        ready!(self.poll_linger(context));
        Poll::Ready(Ok(()))
    }
}
