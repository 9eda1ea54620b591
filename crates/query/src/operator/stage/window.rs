//! TOP, OFFSET and LIMIT.
//!
//! Owns which of the rows in order are wanted, and that nothing is computed beyond the last of them.

use crate::bind::BoundQuery;
use crate::evaluate::{Flow, StopReason};

/// Which rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowStage {
    /// How many are skipped.
    skip: u64,
    /// How many are taken then; none for all.
    take: Option<u64>,
}

/// How far a window is filled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowProgress {
    skipped: u64,
    taken: u64,
}

impl WindowStage {
    pub(super) fn new(query: &BoundQuery) -> Self {
        let take = match (query.top, query.limit) {
            (Some(top), Some(limit)) => Some(top.min(limit)),
            (top, limit) => top.or(limit),
        };
        Self { skip: query.offset.map_or(0, u64::from), take: take.map(u64::from) }
    }

    /// Whether all rows are wanted.
    pub(super) fn is_open(self) -> bool {
        self.skip == 0 && self.take.is_none()
    }

    /// How many rows in order are needed at most, the skipped ones included.
    pub(super) fn reach(self) -> Option<usize> {
        let rows = self.skip.checked_add(self.take?)?;
        usize::try_from(rows).ok()
    }

    /// Whether all wanted rows are taken.
    pub(super) fn is_full(self, state: WindowProgress) -> bool {
        self.take.is_some_and(|take| state.taken >= take)
    }

    /// Passes a row on if it is wanted; says when it was the last.
    pub(super) fn pass(self, state: &mut WindowProgress, emit: impl FnOnce() -> Flow) -> Flow {
        if self.is_full(*state) {
            return Err(StopReason::Enough);
        }
        if state.skipped < self.skip {
            state.skipped += 1;
            return Ok(());
        }
        state.taken += 1;
        emit()?;
        if self.is_full(*state) { Err(StopReason::Enough) } else { Ok(()) }
    }
}
