//! What the operator may choose about the embedded store.
//!
//! Owns the names, units and defaults. Does not own where the values come from: the binary reads them.

/// When a commit is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once it is on disk.
    Synced,
    /// Once it is handed to the operating system: a crash of the process loses nothing, a power cut may lose the last
    /// moments, always as a whole suffix of the commits.
    Relaxed {
        /// At most this long after a commit it is on disk.
        sync_every_ms: u64,
    },
}

/// Settings of the embedded store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of journal kept before trees are flushed to make it shorter; bounds the time to open. At least 64 MiB.
    pub journal_bytes_max: u64,
    /// Bytes one space collects in memory before they are written as a table. Up to three times as many wait for a
    /// worker. More than a space was created with has no effect on it.
    pub memtable_bytes_max: u64,
    /// Bytes of decompressed blocks that are kept in memory for all spaces.
    pub cache_bytes: u64,
    /// Bytes of single values and short pages read more than once lately that are kept besides.
    pub recent_bytes: u64,
    /// Threads that flush and compact. At least 1. One does both; of several the first only flushes and spins while the
    /// others compact, so two take a processor more without compacting faster.
    pub worker_threads: usize,
    /// When a commit is acknowledged.
    pub durability: Durability,
    /// Groups that may wait for the committer; further callers wait before they enter. At least 1.
    pub commit_queue_max: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            journal_bytes_max: JOURNAL_BYTES_MIN,
            memtable_bytes_max: 16 * 1024 * 1024,
            cache_bytes: 256 * 1024 * 1024,
            recent_bytes: 32 * 1024 * 1024,
            worker_threads: 1,
            durability: Durability::Synced,
            commit_queue_max: 4096,
        }
    }
}

/// The tree preallocates its journal in pieces of this size and refuses a smaller bound.
const JOURNAL_BYTES_MIN: u64 = 64 * 1024 * 1024;

impl Settings {
    /// The first setting that makes no sense, as a sentence.
    pub(crate) fn objection(&self) -> Option<&'static str> {
        if self.journal_bytes_max < JOURNAL_BYTES_MIN {
            return Some("journal_bytes_max must be at least 64 MiB");
        }
        if self.memtable_bytes_max == 0 {
            return Some("memtable_bytes_max must be greater than zero");
        }
        if self.worker_threads == 0 {
            return Some("worker_threads must be at least 1");
        }
        if self.commit_queue_max == 0 {
            return Some("commit_queue_max must be at least 1");
        }
        if self.durability == (Durability::Relaxed { sync_every_ms: 0 }) {
            return Some("sync_every_ms must be at least 1; choose Synced to sync every commit");
        }
        None
    }
}
