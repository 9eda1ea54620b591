//! Pausing the writer of a partition, and tracking the items it touches: for those who copy or end the partition.
//!
//! Owns the pause and the tracker. Does not own the copying: see `restructure`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use model::Lsn;
use storage::{Stamp, StorageKey};
use tokio::sync::oneshot;

/// The writer commits nothing while this is alive. Dropping it resumes the writer.
pub(crate) struct WriterPause {
    retire: Option<oneshot::Sender<Retire>>,
    is_confirmed: bool,
    tracker: WriteTracker,
}

/// The message that ends a writer. A sender that is dropped without it resumes the writer.
pub(super) struct Retire;

impl WriterPause {
    pub(super) fn new(
        is_confirmed: bool,
        tracker: WriteTracker,
    ) -> (Self, oneshot::Receiver<Retire>) {
        let (retire, retired) = oneshot::channel();
        // The channel is the pause: the writer waits for its end. A message means retire, a dropped sender means
        // resume, so that a caller that fails or is cancelled cannot leave the writer paused for ever.
        (Self { retire: Some(retire), is_confirmed, tracker }, retired)
    }

    /// Whether the writer knows what its last commit has left in the store.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// The tracker of the writer; it records nothing before it is started.
    pub(crate) fn tracker(&self) -> WriteTracker {
        self.tracker.clone()
    }

    /// Ends the writer: every queued transaction is handed back to its caller.
    pub(crate) fn retire(mut self) {
        if let Some(retire) = self.retire.take() {
            // The writer is gone when the engine closes at the same time; then nothing is queued either.
            let _ = retire.send(Retire);
        }
    }
}

/// Items with the lsns at which they were touched.
pub(crate) type TouchedItems = BTreeMap<StorageKey, BTreeSet<Lsn>>;

/// Records which items a writer touches while its partition is copied.
#[derive(Clone, Default)]
pub(crate) struct WriteTracker(Arc<Mutex<Option<TouchedItems>>>);

impl WriteTracker {
    /// Starts to record.
    pub(crate) fn start(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(TouchedItems::new());
    }

    /// Returns what was recorded since the start or the last call.
    pub(crate) fn take(&self) -> TouchedItems {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Recording goes on: `mem::take` leaves an empty map, not none.
        touched.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Stops recording.
    pub(crate) fn stop(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Records the items of committed sets.
    pub(super) fn record(&self, sets: &[Vec<StorageKey>], stamps: &[Stamp]) {
        // The writer calls this after every commit, and it is nearly always off: the lock is then held for one
        // comparison.
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(touched) = touched.as_mut() else { return };
        for (keys, stamp) in sets.iter().zip(stamps) {
            for key in keys {
                touched.entry(key.clone()).or_default().insert(Lsn(stamp.0));
            }
        }
    }

    /// Records the items of groups whose commit failed. Nobody knows which of them were committed, nor under which of
    /// the lsns in between, so that each item gets all of them. Copying an item that was not touched does no harm.
    pub(super) fn record_unconfirmed(&self, items: &[StorageKey], after: Lsn, through: Lsn) {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(touched) = touched.as_mut() else { return };
        for key in items {
            let lsns = touched.entry(key.clone()).or_default();
            // At most one lsn per write set of one group: nothing is committed until that group is confirmed.
            lsns.extend((after.0 + 1..=through.0).map(Lsn));
        }
    }
}
