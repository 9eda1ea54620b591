//! A page under construction.
//!
//! Enforces the page limits in rows and bytes, and the TOP, OFFSET and LIMIT window, which spans all pages.

use ::query::BoundQuery;
use bytes::Bytes;

use crate::query::continuation::QueryProgress;

/// Rows reserved up front; a page with more rows grows.
const RESERVED_ROWS_MAX: usize = 64;

/// Collects the rows of a page.
pub(in crate::query) struct PageBuilder {
    pub(in crate::query) rows: Vec<Bytes>,
    bytes: usize,
    rows_max: usize,
    bytes_max: usize,
    skip: u64,
    take: Option<u64>,
    pub(in crate::query) skipped: u64,
    pub(in crate::query) taken: u64,
}

/// Whether a row was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum RowPush {
    /// Added to the page, or skipped by OFFSET.
    Accepted,
    /// The page is full; the row belongs to the next page.
    PageFull,
    /// TOP or LIMIT is reached; no further row is needed.
    LimitReached,
}

impl PageBuilder {
    pub(in crate::query) fn new(
        bound: &BoundQuery,
        progress: &QueryProgress,
        rows_max: usize,
        bytes_max: usize,
    ) -> Self {
        let take = match (bound.top, bound.limit) {
            (Some(top), Some(limit)) => Some(top.min(limit)),
            (top, limit) => top.or(limit),
        };
        Self {
            rows: Vec::with_capacity(rows_max.min(RESERVED_ROWS_MAX)),
            bytes: 0,
            rows_max,
            bytes_max,
            skip: bound.offset.map_or(0, u64::from),
            take: take.map(u64::from),
            skipped: progress.skipped,
            taken: progress.taken,
        }
    }

    /// A page of a result to which the window was applied already.
    pub(in crate::query) fn without_window(rows_max: usize, bytes_max: usize) -> Self {
        Self {
            rows: Vec::new(),
            bytes: 0,
            rows_max,
            bytes_max,
            skip: 0,
            take: None,
            skipped: 0,
            taken: 0,
        }
    }

    pub(in crate::query) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether no further row fits on the page.
    pub(in crate::query) fn is_full(&self) -> bool {
        self.rows.len() >= self.rows_max || self.bytes >= self.bytes_max
    }

    /// Whether TOP or LIMIT is reached.
    pub(in crate::query) fn is_complete(&self) -> bool {
        self.take.is_some_and(|take| self.taken >= take)
    }

    /// How many more rows this page needs, including those that OFFSET skips.
    pub(in crate::query) fn rows_needed(&self) -> usize {
        let room = self.rows_max.saturating_sub(self.rows.len());
        let skipping = usize::try_from(self.skip.saturating_sub(self.skipped)).unwrap_or(room);
        // Cannot underflow: `taken` stops at `take`, and a token with more is complete before this is asked.
        let left = self.take.map(|take| usize::try_from(take - self.taken).unwrap_or(room));
        room.min(left.unwrap_or(room)).saturating_add(skipping)
    }

    /// Adds a row. Its text is produced only if the row is kept.
    pub(in crate::query) fn push<E>(
        &mut self,
        text: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<RowPush, E> {
        if self.is_complete() {
            return Ok(RowPush::LimitReached);
        }
        // Before the check for a full page: a skipped row takes no room.
        if self.skipped < self.skip {
            self.skipped += 1;
            return Ok(RowPush::Accepted);
        }
        if self.is_full() {
            return Ok(RowPush::PageFull);
        }
        let text = text()?;
        // A page always takes one row, however large, or the query could not advance.
        if !self.rows.is_empty() && self.bytes + text.len() > self.bytes_max {
            return Ok(RowPush::PageFull);
        }
        self.bytes += text.len();
        self.taken += 1;
        self.rows.push(text);
        Ok(RowPush::Accepted)
    }
}
