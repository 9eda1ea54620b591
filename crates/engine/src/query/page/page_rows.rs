//! The rows of a page, and which rows of the query they are.
//!
//! Owns the limits of a page in rows and bytes, and the window of TOP, OFFSET and LIMIT over all pages.

use ::query::BoundQuery;
use bytes::Bytes;

use crate::query::token::Progress;

/// Rows a page has room for before it is known how many there are; a larger page grows.
const ROOM_ROWS_MAX: usize = 64;

/// A page being filled.
pub(in crate::query) struct PageRows {
    pub(in crate::query) rows: Vec<Bytes>,
    bytes: usize,
    rows_max: usize,
    bytes_max: usize,
    skip: u64,
    take: Option<u64>,
    pub(in crate::query) skipped: u64,
    pub(in crate::query) taken: u64,
}

/// Whether a row found its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum Room {
    /// It did, or was skipped.
    Taken,
    /// The page is full; the row belongs to the next one.
    NextPage,
    /// The query wants no more rows.
    NoneWanted,
}

impl PageRows {
    pub(in crate::query) fn new(
        bound: &BoundQuery,
        progress: &Progress,
        rows_max: usize,
        bytes_max: usize,
    ) -> Self {
        let take = match (bound.top, bound.limit) {
            (Some(top), Some(limit)) => Some(top.min(limit)),
            (top, limit) => top.or(limit),
        };
        Self {
            rows: Vec::with_capacity(rows_max.min(ROOM_ROWS_MAX)),
            bytes: 0,
            rows_max,
            bytes_max,
            skip: bound.offset.map_or(0, u64::from),
            take: take.map(u64::from),
            skipped: progress.skipped,
            taken: progress.taken,
        }
    }

    /// A page of the rows of an answer that has its window already.
    pub(in crate::query) fn plain(rows_max: usize, bytes_max: usize) -> Self {
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

    /// Whether no further row fits.
    pub(in crate::query) fn is_full(&self) -> bool {
        self.rows.len() >= self.rows_max || self.bytes >= self.bytes_max
    }

    /// Whether the query wants no more rows.
    pub(in crate::query) fn is_complete(&self) -> bool {
        self.take.is_some_and(|take| self.taken >= take)
    }

    /// How many rows are still needed for this page, the skipped ones included.
    pub(in crate::query) fn wanted(&self) -> usize {
        let room = self.rows_max.saturating_sub(self.rows.len());
        let skipping = usize::try_from(self.skip.saturating_sub(self.skipped)).unwrap_or(room);
        let left = self.take.map(|take| usize::try_from(take - self.taken).unwrap_or(room));
        room.min(left.unwrap_or(room)).saturating_add(skipping)
    }

    /// Takes a row whose text is made only if it is wanted.
    pub(in crate::query) fn push<E>(
        &mut self,
        text: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Room, E> {
        if self.is_complete() {
            return Ok(Room::NoneWanted);
        }
        if self.skipped < self.skip {
            self.skipped += 1;
            return Ok(Room::Taken);
        }
        if self.is_full() {
            return Ok(Room::NextPage);
        }
        let text = text()?;
        if !self.rows.is_empty() && self.bytes + text.len() > self.bytes_max {
            return Ok(Room::NextPage);
        }
        self.bytes += text.len();
        self.taken += 1;
        self.rows.push(text);
        Ok(Room::Taken)
    }
}
