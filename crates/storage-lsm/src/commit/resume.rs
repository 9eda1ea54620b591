//! Writing again after a failed write.
//!
//! Owns when it is tried and in which steps. A failed write leaves the tree unusable: the journal may end in the middle
//! of a record, and after a failed sync nobody knows which of its pages are on disk. So the tree is closed, its journal
//! is checked and its end written again (`integrity`), and the tree is opened anew, without the batch of the failed
//! write. Does not own opening: see `open`.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::{Error, ErrorKind, Result};

use super::committer::{Committer, now};
use crate::error::cannot_open_file;
use crate::open::{RecoveredStamps, reopen};

/// Time between a failed write and the first attempt; each further one waits twice as long, up to the maximum.
const FIRST_DELAY: Duration = Duration::from_millis(250);
const DELAY_MAX: Duration = Duration::from_secs(8);

/// An attempt closes the tree, so it begins only if this much can be written and synced.
const PROBE_BYTES: usize = 4 * 1024 * 1024;
const PROBE_FILE: &str = "PROBE";

/// A failed write, and when writing is tried again.
pub(super) struct WriteFailure {
    pub(super) reason: String,
    delay: Duration,
    next_attempt: Instant,
}

impl WriteFailure {
    /// A failure at this time. After an earlier one that was not followed by a successful write, the wait is longer.
    pub(super) fn new(reason: String, earlier: Option<Self>, at: Instant) -> Self {
        let delay = earlier.map_or(FIRST_DELAY, |earlier| (earlier.delay * 2).min(DELAY_MAX));
        Self { reason, delay, next_attempt: at + delay }
    }
}

impl Committer {
    /// How long until writing is tried again; `None` if it does not have to be.
    pub(super) fn time_to_resume(&self) -> Option<Duration> {
        Some(self.failed.as_ref()?.next_attempt.saturating_duration_since(now()))
    }

    /// Tries to open the tree again, if a write has failed and it is time.
    pub(super) fn resume_if_due(&mut self) {
        if self.time_to_resume() != Some(Duration::ZERO) {
            return;
        }
        match self.resume() {
            Ok(()) => {
                self.failed = None;
                self.inner.set_write_failure(None);
            }
            Err(error) => {
                let earlier = self.failed.take();
                let reason = error.full_message();
                self.inner.set_write_failure(Some(reason.clone()));
                self.failed = Some(WriteFailure::new(reason, earlier, now()));
            }
        }
    }

    fn resume(&mut self) -> Result<()> {
        let path = self.inner.path().to_owned();
        probe(&path).map_err(|error| cannot_open_file(&path, error))?;
        // Ours goes first: the exchange waits until nobody else has the tree. Runs whose ingestion failed are in their
        // records, from which the new tree reads them.
        let _ = self.ingester.wait();
        self.keyspaces = None;
        let (inner, stamp_file) = (Arc::clone(&self.inner), &self.durable_stamps);
        let (mut found, last_batch) = (None, self.last_batch);
        self.inner.exchange(|| {
            let (keyspaces, recovered) = reopen(&inner, stamp_file, last_batch)?;
            refuse_lost_commits(&inner.last_stamps, &recovered, &path)?;
            found = Some(recovered);
            Ok(keyspaces)
        })?;
        let Some(recovered) = found else { return Ok(()) };
        self.keyspaces = Some(self.inner.keyspaces()?);
        self.last_batch = recovered.last_batch;
        let stamps = || recovered.entries.iter().map(|entry| (entry.shard, entry.stamp));
        let recorded = self.durable_stamps.record_all(stamps());
        recorded.map_err(|error| cannot_open_file(&path, error))?;
        // The failed batch has kept the cache from holding what it was about to change, until a batch with its number
        // is visible. It is gone, so what the tree holds may be cached again.
        self.inner.read_cache.publish(self.inner.read_cache.next_batch());
        for (shard, stamp) in stamps() {
            self.inner.last_stamps.publish(shard, stamp);
        }
        Ok(())
    }
}

/// Commits that are acknowledged without a sync may be gone. Readers have seen them, so this process cannot go on as if
/// they had never been there.
fn refuse_lost_commits(
    published: &storage::LastStamps,
    recovered: &RecoveredStamps,
    path: &Path,
) -> Result<()> {
    for shard in published.shards() {
        let (before, now) = (published.last(shard), recovered.last_stamps.last(shard));
        if now < before {
            return Err(Error::new(
                ErrorKind::Device,
                format!(
                    "the store at {} lost commits that were not synced: shard {} ends at stamp {} \
                     instead of {}; restart the program",
                    path.display(),
                    shard.0,
                    now.0,
                    before.0
                ),
            ));
        }
    }
    Ok(())
}

/// Writes and syncs a file, and removes it.
fn probe(folder: &Path) -> std::io::Result<()> {
    let path = folder.join(PROBE_FILE);
    let write = || {
        let mut file = File::create(&path)?;
        // Not zeros, which some file systems store without using space.
        file.write_all(&vec![0xA5; PROBE_BYTES])?;
        file.sync_all()
    };
    let written = write();
    let removed = fs::remove_file(&path);
    written.and(removed)
}
