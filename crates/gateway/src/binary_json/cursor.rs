//! Reading bytes one after the other, never beyond the end.
//!
//! Owns bounds. Does not own meaning.

use crate::exchange::{Failure, Outcome};

/// A place in a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    whole: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(whole: &'a [u8]) -> Self {
        Self { whole, at: 0, end: whole.len() }
    }

    /// A cursor at another place of the same body.
    pub(crate) fn at(&self, at: usize) -> Self {
        Self { whole: self.whole, at, end: self.whole.len() }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    pub(crate) fn take(&mut self, count: usize) -> Outcome<&'a [u8]> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.end);
        let taken = end.and_then(|end| self.whole.get(self.at..end)).ok_or_else(too_short)?;
        self.at += count;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Outcome<u8> {
        self.take(1)?.first().copied().ok_or_else(too_short)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Outcome<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| too_short())
    }

    /// A length of one, two, three or four bytes.
    pub(crate) fn length(&mut self, bytes: usize) -> Outcome<usize> {
        let taken = self.take(bytes)?;
        Ok(taken.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    /// The next bytes as a cursor of their own.
    pub(crate) fn part(&mut self, count: usize) -> Outcome<Self> {
        let start = self.at;
        self.take(count)?;
        Ok(Self { whole: self.whole, at: start, end: start + count })
    }
}

fn too_short() -> Failure {
    Failure::invalid_payload("The binary JSON ends too early.")
}
