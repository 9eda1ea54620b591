//! TOP, OFFSET and LIMIT.
//!
//! Owns which of the rows, in their final order, are returned, and that nothing is computed beyond the last of them.

use crate::bind::BoundQuery;
use crate::evaluate::{Flow, StopReason};

/// Which rows are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowStage {
    /// The number of rows skipped.
    skip: u64,
    /// The number of rows returned after them; `None` for all.
    take: Option<u64>,
}

/// How many rows were skipped and returned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowProgress {
    skipped: u64,
    taken: u64,
}

impl WindowStage {
    pub(super) fn new(query: &BoundQuery) -> Self {
        let take = match (query.top, query.limit) {
            // Both may be present: the smaller one decides.
            (Some(top), Some(limit)) => Some(top.min(limit)),
            (top, limit) => top.or(limit),
        };
        Self { skip: query.offset.map_or(0, u64::from), take: take.map(u64::from) }
    }

    /// Whether all rows are returned.
    pub(super) fn is_open(self) -> bool {
        self.skip == 0 && self.take.is_none()
    }

    /// The largest number of sorted rows needed, including the skipped ones.
    pub(super) fn reach(self) -> Option<usize> {
        let rows = self.skip.checked_add(self.take?)?;
        usize::try_from(rows).ok()
    }

    /// Whether all rows were returned.
    pub(super) fn is_full(self, state: WindowProgress) -> bool {
        self.take.is_some_and(|take| state.taken >= take)
    }

    /// Passes a row on if it is in the window. Reports `Enough` with the last row, not with the first surplus one, so
    /// that no further row is computed.
    pub(super) fn pass(self, state: &mut WindowProgress, emit: impl FnOnce() -> Flow) -> Flow {
        if self.is_full(*state) {
            return Err(StopReason::Enough);
        }
        if state.skipped < self.skip {
            state.skipped += 1;
            return Ok(());
        }
        // Before emitting: a row that makes the receiver stop was still returned.
        state.taken += 1;
        emit()?;
        if self.is_full(*state) { Err(StopReason::Enough) } else { Ok(()) }
    }
}
