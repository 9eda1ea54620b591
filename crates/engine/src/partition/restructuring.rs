//! The turn to split or merge partitions of a container, and how far the one whose turn it is has come.
//!
//! Owns the lock and the published progress. Does not own the work: see `restructure`.

use std::sync::{Mutex as StdMutex, PoisonError};

use tokio::sync::{Mutex, MutexGuard};

use crate::response::RestructuringResource;

/// One split or merge of a container at a time.
#[derive(Debug, Default)]
pub(crate) struct Restructuring {
    turn: Mutex<()>,
    progress: StdMutex<Option<RestructuringResource>>,
}

impl Restructuring {
    /// Waits until no split or merge runs; none begins while the guard is alive.
    pub(crate) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// What is being copied at present.
    pub(crate) fn progress(&self) -> Option<RestructuringResource> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Publishes that a copy begins or ends.
    pub(crate) fn publish(&self, progress: Option<RestructuringResource>) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    /// Adds to the items that were copied.
    pub(crate) fn add_copied(&self, items: usize) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(progress) = progress.as_mut() {
            // Items created meanwhile are copied too, but they are not in the total.
            let copied = progress.items_copied.saturating_add(items as u64);
            progress.items_copied = copied.min(progress.items_total);
        }
    }
}
