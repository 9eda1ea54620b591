//! A connection on which no refusal is without a body.
//!
//! The HTTP library answers by itself what it cannot read as a request: a head that is too long or malformed. It does
//! so with an empty body, which some clients cannot take. Owns finding such an answer among the bytes it writes, and
//! saying the same with a body. Everything else passes unchanged.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::exchange::{Failure, header};
use crate::gateway::Gateway;

const HEAD_END: &[u8] = b"\r\n\r\n";
const HEAD_BEGIN: &[u8] = b"HTTP/1.";

/// A stream with a watched writing side.
#[derive(Debug)]
pub(crate) struct Bodied<S> {
    inner: S,
    gateway: Gateway,
    /// What is still to be written in place of what the library wrote.
    pending: Vec<u8>,
}

impl<S> Bodied<S> {
    pub(crate) fn new(inner: S, gateway: Gateway) -> Self {
        Self { inner, gateway, pending: Vec::new() }
    }

    /// The bytes to write instead, when these end with an answer that is not ours.
    fn instead(&self, written: &[u8]) -> Option<Vec<u8>> {
        // Our own answers end like this only when they have no body, which is rare enough to look closer.
        if !written.ends_with(HEAD_END) {
            return None;
        }
        let begin = written.windows(HEAD_BEGIN.len()).rposition(|window| window == HEAD_BEGIN)?;
        let (before, head) = written.split_at_checked(begin)?;
        let head = std::str::from_utf8(head).ok()?;
        let mut lines = head.trim_end().split("\r\n");
        let status_line = lines.next()?;
        let status = status_line.split(' ').nth(1)?.parse::<u16>().ok()?;
        let status = StatusCode::from_u16(status).ok().filter(|status| status.as_u16() >= 400)?;
        let lines: Vec<&str> = lines.collect();
        let is_named = |line: &&str, name: &str| {
            line.split(':').next().is_some_and(|found| found.eq_ignore_ascii_case(name))
        };
        if lines.iter().any(|line| is_named(line, header::ACTIVITY_ID.as_str())) {
            return None;
        }
        let activity_id = self.gateway.activity_id(&hyper::HeaderMap::new());
        let activity_id = activity_id.to_str().unwrap_or_default();
        let body = Failure::new(status, words(status)).into_body(activity_id);
        let mut told = before.to_vec();
        told.extend_from_slice(status_line.as_bytes());
        let kept = lines.iter().filter(|line| !is_named(line, "content-length"));
        kept.for_each(|line| told.extend_from_slice(format!("\r\n{line}").as_bytes()));
        let ours = format!(
            "\r\ncontent-type: application/json\r\n{}: {activity_id}\r\ncontent-length: {}\r\n\r\n",
            header::ACTIVITY_ID,
            body.len()
        );
        told.extend_from_slice(ours.as_bytes());
        told.extend_from_slice(&body);
        self.gateway.metrics().record(status.as_u16(), 0);
        Some(told)
    }
}

impl<S: AsyncWrite + Unpin> Bodied<S> {
    fn poll_pending(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            let count = ready!(Pin::new(&mut self.inner).poll_write(context, &self.pending))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.pending.drain(..count);
        }
        Poll::Ready(Ok(()))
    }
}

/// What is wrong, for a client that cannot know it from the number.
fn words(status: StatusCode) -> &'static str {
    match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            "The headers of the request are too large. Send fewer or shorter ones; a long session token is the usual \
             reason."
        }
        StatusCode::URI_TOO_LONG => "The address of the request is too long.",
        _ => {
            "The request is not HTTP as this server reads it: its first line or a header is malformed."
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bodied<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bodied<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(context))?;
        match self.instead(bytes) {
            None => Pin::new(&mut self.inner).poll_write(context, bytes),
            Some(instead) => {
                self.pending = instead;
                Poll::Ready(Ok(bytes.len()))
            }
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(context))?;
        if slices.last().is_some_and(|last| last.ends_with(HEAD_END)) {
            let whole: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
            if let Some(instead) = self.instead(&whole) {
                self.pending = instead;
                return Poll::Ready(Ok(whole.len()));
            }
        }
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(context))?;
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(context))?;
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
