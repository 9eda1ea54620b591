//! A stream whose writing side is changed and whose reading side is not.
//!
//! Owns passing reads through, once for all such adapters. Does not own what they do to writes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What is done to the writes of a stream.
pub(super) trait WriteSide: Unpin {
    /// As [`AsyncWrite::poll_write`], on the stream below.
    fn poll_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>>;

    /// As [`AsyncWrite::poll_write_vectored`], on the stream below.
    fn poll_write_vectored<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>>;

    /// As [`AsyncWrite::poll_flush`], on the stream below.
    fn poll_flush<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>>;

    /// As [`AsyncWrite::poll_shutdown`], on the stream below.
    fn poll_shutdown<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>>;
}

/// A stream with a changed writing side.
#[derive(Debug)]
pub(super) struct WriteAdapter<S, W> {
    stream: S,
    side: W,
}

impl<S, W> WriteAdapter<S, W> {
    pub(super) fn new(stream: S, side: W) -> Self {
        Self { stream, side }
    }
}

impl<S: AsyncRead + Unpin, W: Unpin> AsyncRead for WriteAdapter<S, W> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin, W: WriteSide> AsyncWrite for WriteAdapter<S, W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, side } = &mut *self;
        side.poll_write(stream, context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, side } = &mut *self;
        side.poll_write_vectored(stream, context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, side } = &mut *self;
        side.poll_flush(stream, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, side } = &mut *self;
        side.poll_shutdown(stream, context)
    }
}
