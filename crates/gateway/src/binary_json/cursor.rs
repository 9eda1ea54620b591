//! A cursor over bytes that never reads beyond the end.
//!
//! Owns bounds checks. Does not own the meaning of the bytes.

use crate::http::{ApiError, ApiResult};

/// A position in a body, and the end of the array or object that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    body: &'a [u8],
    position: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { body, position: 0, end: body.len() }
    }

    /// A cursor at another position of the same body.
    pub(super) fn seek(&self, position: usize) -> Self {
        // References point anywhere in the body, so only the body bounds them.
        Self { body: self.body, position, end: self.body.len() }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.position >= self.end
    }

    pub(super) fn take(&mut self, count: usize) -> ApiResult<&'a [u8]> {
        // `end` is that of the enclosing array or object: a member cannot reach beyond it into its neighbour.
        let end = self.position.checked_add(count).filter(|end| *end <= self.end);
        let taken = end.and_then(|end| self.body.get(self.position..end)).ok_or_else(too_short)?;
        self.position += count;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> ApiResult<u8> {
        self.take(1)?.first().copied().ok_or_else(too_short)
    }

    pub(super) fn array<const N: usize>(&mut self) -> ApiResult<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| too_short())
    }

    /// Reads a little-endian length of up to four bytes.
    pub(super) fn length(&mut self, bytes: usize) -> ApiResult<usize> {
        let taken = self.take(bytes)?;
        Ok(taken.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    /// Skips the next bytes and returns a cursor over them.
    pub(super) fn sub_cursor(&mut self, count: usize) -> ApiResult<Self> {
        let start = self.position;
        self.take(count)?;
        Ok(Self { body: self.body, position: start, end: start + count })
    }
}

fn too_short() -> ApiError {
    ApiError::invalid_payload("The binary JSON ends too early.")
}
