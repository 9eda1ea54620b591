//! The folder lock: a folder is open at most once, in one process.
//!
//! Owns the file `LOCK`. Does not own the lock of the tree, which lies one folder deeper and is never contended,
//! because this one is taken first.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use storage::Result;

use crate::error::{cannot_open, cannot_open_file};

/// Name of the lock file.
pub(crate) const LOCK_FILE: &str = "LOCK";

/// Attempts to take the lock and the pause between them: a quarter of a second in total.
const ATTEMPTS_MAX: usize = 25;
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(10);

/// Held while the folder is open. The operating system releases it when the process ends, even if it is killed.
#[derive(Debug)]
pub(crate) struct FolderLock {
    #[expect(dead_code, reason = "the lock lives as long as the open file")]
    file: File,
}

impl FolderLock {
    /// Takes the lock, or fails if somebody else holds it.
    pub(crate) fn acquire(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK_FILE);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| cannot_open_file(&path, error))?;
        // Retried, because a background task may hold the last reference to a store for a moment after it was closed.
        for _ in 0..ATTEMPTS_MAX {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(ATTEMPT_INTERVAL),
                Err(TryLockError::Error(error)) => return Err(cannot_open_file(&path, error)),
            }
        }
        let reason = "it is already open in this or another process; close it there first";
        Err(cannot_open(folder, reason))
    }
}
