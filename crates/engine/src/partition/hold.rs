//! What a partition's writer offers to those who copy or end it: standing still, and remembering what it touches.
//!
//! Owns the hold and the memory. Does not own the copying: see `restructure`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use model::Lsn;
use storage::{Stamp, StorageKey};
use tokio::sync::oneshot;

/// The writer stands still while this is alive. Dropping it lets the writer go on.
pub(crate) struct Hold {
    end: Option<oneshot::Sender<Retire>>,
    /// Whether the writer knows what its last commit has left in the store.
    pub(crate) is_certain: bool,
    /// What the writer touches, once somebody asks it to remember.
    pub(crate) touched: Touched,
}

/// The last word to a writer.
pub(crate) struct Retire;

impl Hold {
    pub(crate) fn new(is_certain: bool, touched: Touched) -> (Self, oneshot::Receiver<Retire>) {
        let (end, ended) = oneshot::channel();
        (Self { end: Some(end), is_certain, touched }, ended)
    }

    /// The writer never writes again: everything queued is told that the partition is gone.
    pub(crate) fn retire(mut self) {
        if let Some(end) = self.end.take() {
            // The writer is gone when the engine closes at the same time; then nothing is queued either.
            let _ = end.send(Retire);
        }
    }
}

/// Items with the lsns at which they were touched.
pub(crate) type TouchedItems = BTreeMap<StorageKey, BTreeSet<Lsn>>;

/// The memory of a writer while its partition is copied.
#[derive(Clone, Default)]
pub(crate) struct Touched(Arc<Mutex<Option<TouchedItems>>>);

impl Touched {
    /// From now on the writer remembers which items it touches.
    pub(crate) fn start(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(TouchedItems::new());
    }

    /// Items touched since they are remembered; begins anew.
    pub(crate) fn take(&self) -> TouchedItems {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        touched.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Stops remembering.
    pub(crate) fn stop(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Remembers the items of committed sets.
    pub(crate) fn remember(&self, sets: &[Vec<StorageKey>], stamps: &[Stamp]) {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(touched) = touched.as_mut() else { return };
        for (keys, stamp) in sets.iter().zip(stamps) {
            for key in keys {
                touched.entry(key.clone()).or_default().insert(Lsn(stamp.0));
            }
        }
    }

    /// Remembers items of a group of which it is not known whether it was committed, nor under which of these lsns.
    pub(crate) fn remember_unsure(&self, items: &[StorageKey], after: Lsn, through: Lsn) {
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(touched) = touched.as_mut() else { return };
        for key in items {
            let lsns = touched.entry(key.clone()).or_default();
            lsns.extend((after.0 + 1..=through.0).map(Lsn));
        }
    }
}
