//! The backups that are being read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{ContainerLink, SnapshotAt};
use tokio::sync::Mutex as AsyncMutex;

/// Backups at the same time. Each one keeps the store from dropping what it still has to read.
const OPEN_MAX: usize = 4;
/// A backup that nobody has read from for this time is closed.
const IDLE_MS_MAX: u64 = 10 * 60 * 1000;

/// The containers of a backup that are still to be read, each as it was at the beginning.
pub(super) type RemainingContainers = Arc<AsyncMutex<Vec<(ContainerLink, SnapshotAt)>>>;

/// The open backups by number.
#[derive(Default)]
pub(crate) struct OpenBackups(Mutex<BTreeMap<u64, OpenBackup>>);

struct OpenBackup {
    remaining: RemainingContainers,
    used_ms: u64,
}

impl OpenBackups {
    /// Opens a backup; `None` if there are too many.
    pub(super) fn open(&self, remaining: RemainingContainers, now_ms: u64) -> Option<u64> {
        let mut open = self.lock();
        open.retain(|_, backup| backup.used_ms + IDLE_MS_MAX > now_ms);
        if open.len() >= OPEN_MAX {
            return None;
        }
        let number = open.keys().next_back().map_or(1, |last| last + 1);
        open.insert(number, OpenBackup { remaining, used_ms: now_ms });
        Some(number)
    }

    /// What is left of a backup.
    pub(super) fn find(&self, number: u64, now_ms: u64) -> Option<RemainingContainers> {
        let mut open = self.lock();
        let backup = open.get_mut(&number)?;
        backup.used_ms = now_ms;
        Some(Arc::clone(&backup.remaining))
    }

    pub(super) fn close(&self, number: u64) {
        self.lock().remove(&number);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, OpenBackup>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for OpenBackups {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "OpenBackups({})", self.lock().len())
    }
}
