//! One process, one opening, per folder.
//!
//! Owns the lock file. Does not own the tree's own lock, which lies one folder deeper and is never contended.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use storage::Result;

use crate::failure::{cannot_open, cannot_open_file};

/// Name of the lock file.
pub(crate) const LOCK: &str = "LOCK";

/// How often and how far apart the lock is tried: a quarter of a second in all.
const TRIES_MAX: usize = 25;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// Held as long as the folder is open; the operating system releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct FolderLock {
    #[expect(dead_code, reason = "the lock lives as long as the open file")]
    file: File,
}

impl FolderLock {
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| cannot_open_file(&path, error))?;
        // Whoever closes a store may still hold its last reference for a moment in a background task.
        for _ in 0..TRIES_MAX {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_TRIES),
                Err(TryLockError::Error(error)) => return Err(cannot_open_file(&path, error)),
            }
        }
        let remedy = "it is already open in this or another process; close it there first";
        Err(cannot_open(folder, remedy))
    }
}
