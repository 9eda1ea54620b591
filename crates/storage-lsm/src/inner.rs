//! The state that the store handle, its snapshots and the committer share.
//!
//! Owns nothing but the parts: reading is in `read`, writing in `commit`.

use std::sync::atomic::{AtomicBool, Ordering};

use storage::{LastStamps, Result};

use crate::error::closed;
use crate::keyspaces::Keyspaces;
use crate::lock::FolderLock;
use crate::read_cache::ReadCache;

/// What readers, snapshots and the committer share.
pub(crate) struct LsmInner {
    // Fields are dropped in this order: the tree closes its files before the folder lock is released.
    pub(crate) keyspaces: Keyspaces,
    pub(crate) last_stamps: LastStamps,
    pub(crate) read_cache: ReadCache,
    closed: AtomicBool,
    #[expect(dead_code, reason = "held until the last handle or snapshot is dropped")]
    lock: FolderLock,
}

impl LsmInner {
    pub(crate) fn new(
        keyspaces: Keyspaces,
        last_stamps: LastStamps,
        read_cache: ReadCache,
        lock: FolderLock,
    ) -> Self {
        Self { keyspaces, last_stamps, read_cache, closed: AtomicBool::new(false), lock }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Closes the store for further calls; fails if it is closed already.
    pub(crate) fn close(&self) -> Result<()> {
        // One step: of two callers that close at once, one gets the error.
        if self.closed.swap(true, Ordering::AcqRel) { Err(closed()) } else { Ok(()) }
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_closed() { Err(closed()) } else { Ok(()) }
    }
}
