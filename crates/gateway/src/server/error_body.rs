//! The writing side of a stream: gives the error responses of the HTTP library a body.
//!
//! The library answers requests that it cannot parse by itself: a head that is too long or malformed. Its responses
//! have an empty body, on which some clients fail. Owns recognizing such a response among the written bytes and
//! replacing it by one with the same status and an error body. Everything else passes through unchanged.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::StatusCode;
use model::RequestCharge;
use tokio::io::AsyncWrite;

use super::write_adapter::WriteSide;
use crate::gateway::Gateway;
use crate::http::{ApiError, header};

const HEAD_END: &[u8] = b"\r\n\r\n";
const HEAD_BEGIN: &[u8] = b"HTTP/1.";

/// Rewrites error responses without a body.
#[derive(Debug)]
pub(super) struct ErrorBodyRewriter {
    gateway: Gateway,
    /// The rest of a rewritten response. It must be written before anything else.
    pending: Vec<u8>,
}

impl ErrorBodyRewriter {
    pub(super) fn new(gateway: Gateway) -> Self {
        Self { gateway, pending: Vec::new() }
    }

    /// Returns the bytes to write instead if `written` ends with an error response of the library.
    ///
    /// This relies on the library writing such a response in one piece, as the last bytes of a write. Our own responses
    /// are recognized by their activity id.
    fn rewrite(&self, written: &[u8]) -> Option<Vec<u8>> {
        // Cheap test first: our own responses end like this only when they have no body.
        if !written.ends_with(HEAD_END) {
            return None;
        }
        // From the end: earlier responses of a pipelined connection may be in the same write.
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
        // One of our own, such as a 404 for a request whose method has no body.
        if lines.iter().any(|line| is_named(line, header::ACTIVITY_ID.as_str())) {
            return None;
        }
        let activity_id = self.gateway.activity_id(None);
        let activity_id = activity_id.to_str().unwrap_or_default();
        let body = ApiError::new(status, message(status)).into_body(activity_id);
        let mut rewritten = before.to_vec();
        rewritten.extend_from_slice(status_line.as_bytes());
        let kept = lines.iter().filter(|line| !is_named(line, "content-length"));
        kept.for_each(|line| rewritten.extend_from_slice(format!("\r\n{line}").as_bytes()));
        let added = format!(
            "\r\ncontent-type: application/json\r\n{}: {activity_id}\r\ncontent-length: {}\r\n\r\n",
            header::ACTIVITY_ID,
            body.len()
        );
        rewritten.extend_from_slice(added.as_bytes());
        rewritten.extend_from_slice(&body);
        self.gateway.metrics().record(status.as_u16(), 0, RequestCharge::ZERO);
        Some(rewritten)
    }
}

impl ErrorBodyRewriter {
    fn poll_pending<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            let count = ready!(Pin::new(&mut *stream).poll_write(context, &self.pending))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            // A few hundred bytes, nearly always written at once.
            self.pending.drain(..count);
        }
        Poll::Ready(Ok(()))
    }
}

/// Explains the status to a person who reads the error.
fn message(status: StatusCode) -> &'static str {
    match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            "The headers of the request are too large. Send fewer or shorter ones; a long session token is the usual \
             reason."
        }
        StatusCode::URI_TOO_LONG => "The address of the request is too long.",
        _ => {
            "The request is not valid HTTP: its first line or a header is malformed. Each line must end with a \
             carriage return and a line feed."
        }
    }
}

impl WriteSide for ErrorBodyRewriter {
    fn poll_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(stream, context))?;
        match self.rewrite(bytes) {
            None => Pin::new(stream).poll_write(context, bytes),
            Some(rewritten) => {
                self.pending = rewritten;
                // The caller's bytes count as written; `poll_flush` and `poll_shutdown` write the replacement.
                Poll::Ready(Ok(bytes.len()))
            }
        }
    }

    fn poll_write_vectored<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(stream, context))?;
        if slices.last().is_some_and(|last| last.ends_with(HEAD_END)) {
            let whole: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
            if let Some(rewritten) = self.rewrite(&whole) {
                self.pending = rewritten;
                return Poll::Ready(Ok(whole.len()));
            }
        }
        Pin::new(stream).poll_write_vectored(context, slices)
    }

    fn poll_flush<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(stream, context))?;
        Pin::new(stream).poll_flush(context)
    }

    fn poll_shutdown<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(stream, context))?;
        Pin::new(stream).poll_shutdown(context)
    }
}
