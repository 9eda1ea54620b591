//! Writing runs into the tree as tables.
//!
//! Owns when it happens and the thread that does it, one at a time, beside the committer. The tables are complete and
//! durable before the runs are dropped from memory, and their records are removed by a later batch. So after a crash
//! at any point the records that are left make the same runs again, and reading them above the tree gives the same
//! entries.

use std::sync::Arc;
use std::thread::JoinHandle;

use fjall::Keyspace;

use super::merge::MergedRuns;
use super::run::SortedRun;
use crate::error::{TreeError, catch_panic};
use crate::keyspaces::Keyspaces;

/// The thread that writes runs into the tree, if there is one at present.
#[derive(Default)]
pub(crate) struct Ingester {
    thread: Option<JoinHandle<Result<(), TreeError>>>,
}

impl Ingester {
    /// Begins to write the runs into the tree if they have reached the size of a memtable. Waits for the runs before
    /// them only if the buffer has grown to twice that size meanwhile.
    pub(crate) fn make_room(&mut self, keyspaces: &Arc<Keyspaces>) -> Result<(), TreeError> {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            self.wait()?;
        }
        let bytes_max = usize::try_from(keyspaces.memtable_bytes_max()).unwrap_or(usize::MAX);
        let bytes = keyspaces.buffer().active_bytes();
        if bytes < bytes_max || (self.thread.is_some() && bytes < bytes_max.saturating_mul(2)) {
            return Ok(());
        }
        self.wait()?;
        self.start(keyspaces)
    }

    /// Waits until nothing is being written.
    pub(crate) fn wait(&mut self) -> Result<(), TreeError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let gone = || TreeError::Panicked("the thread that writes runs has panicked".to_owned());
        thread.join().unwrap_or_else(|_| Err(gone()))
    }

    fn start(&mut self, keyspaces: &Arc<Keyspaces>) -> Result<(), TreeError> {
        let Some(keyspace) = keyspaces.buffered().cloned() else { return Ok(()) };
        let keyspaces = Arc::clone(keyspaces);
        let runs = keyspaces.buffer().freeze();
        let spawned = std::thread::Builder::new().name("ingester".to_owned()).spawn(move || {
            catch_panic(|| ingest(&keyspace, &runs))?;
            keyspaces.buffer().drop_frozen();
            Ok(())
        });
        let failed = |error| TreeError::Returned(fjall::Error::Io(error));
        self.thread = Some(spawned.map_err(failed)?);
        Ok(())
    }
}

impl Drop for Ingester {
    fn drop(&mut self) {
        // The tree must be closed before the lock of its folder is released, and the thread holds the tree.
        let _ = self.wait();
    }
}

/// Writes the runs into a keyspace; they are durable when it returns.
fn ingest(keyspace: &Keyspace, runs: &[Arc<SortedRun>]) -> fjall::Result<()> {
    let mut ingestion = keyspace.start_ingestion()?;
    for (key, value) in MergedRuns::all(runs.iter().rev().map(AsRef::as_ref)) {
        match value {
            Some(value) => ingestion.write(key, value)?,
            None => ingestion.write_tombstone(key)?,
        }
    }
    ingestion.finish()
}
