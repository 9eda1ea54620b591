//! Settings of the LSM store.
//!
//! Owns the names, units and defaults. Does not own where the values come from: the program that opens the store reads
//! them.

use storage::{Error, Result};

/// When a commit is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When it is on disk.
    Synced,
    /// When the operating system has it. A crash of the process loses nothing; a power cut may lose the newest commits,
    /// always a suffix of all commits.
    Relaxed {
        /// A commit is on disk at most this long after it was acknowledged.
        sync_every_ms: u64,
    },
}

/// Settings of the LSM store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LsmSettings {
    /// Size of the journal beyond which memtables are flushed to shorten it; bounds the time to open. At least 64 MiB.
    pub journal_bytes_max: u64,
    /// Size at which the memtable of a space is sealed and written as a table. Up to three times as much may wait for a
    /// worker. A value above the one a space was created with has no effect on that space.
    pub memtable_bytes_max: u64,
    /// Size of the block cache, which holds decompressed blocks of all spaces.
    pub block_cache_bytes: u64,
    /// Size of the read cache, which holds values and short pages that were read more than once.
    pub read_cache_bytes: u64,
    /// Threads that flush and compact. At least 1. A single thread does both. With several, the first one only flushes
    /// and spins while the others compact, so a second thread uses another processor without compacting faster.
    pub worker_threads: usize,
    /// When a commit is acknowledged.
    pub durability: Durability,
    /// Groups that may wait for the committer; further callers wait before they enter the queue. At least 1.
    pub commit_queue_max: usize,
}

impl Default for LsmSettings {
    fn default() -> Self {
        Self {
            journal_bytes_max: JOURNAL_BYTES_MIN,
            memtable_bytes_max: 16 * 1024 * 1024,
            block_cache_bytes: 256 * 1024 * 1024,
            read_cache_bytes: 32 * 1024 * 1024,
            worker_threads: 1,
            durability: Durability::Synced,
            commit_queue_max: 4096,
        }
    }
}

/// The tree preallocates its journal in files of this size and refuses a smaller bound.
const JOURNAL_BYTES_MIN: u64 = 64 * 1024 * 1024;

impl LsmSettings {
    /// Refuses values that make no sense.
    pub(crate) fn validate(&self) -> Result<()> {
        let problem = if self.journal_bytes_max < JOURNAL_BYTES_MIN {
            "journal_bytes_max must be at least 64 MiB"
        } else if self.memtable_bytes_max == 0 {
            "memtable_bytes_max must be greater than zero"
        } else if self.worker_threads == 0 {
            "worker_threads must be at least 1"
        } else if self.commit_queue_max == 0 {
            "commit_queue_max must be at least 1"
        } else if self.durability == (Durability::Relaxed { sync_every_ms: 0 }) {
            "sync_every_ms must be at least 1; choose Synced to sync every commit"
        } else {
            return Ok(());
        };
        Err(Error::invalid(problem))
    }
}
