//! Waiting for the tree's workers before a batch, instead of inside it.
//!
//! Owns the thresholds. The tree has its own, a little higher: there it sleeps in steps of 100 ms, and forever when its
//! workers have died of a full disk. Waiting before the batch is short-stepped and notices dead workers.
//! Does not own what happens then: the committer stops the store.

use std::time::Duration;

use fjall::{AbstractTree, Keyspace, PersistMode};

use crate::failure::TreeError;
use crate::keyspaces::Keyspaces;

/// The tree halts at 4 sealed memtables; a batch adds at most one.
const SEALED_MEMTABLES_MAX: usize = 2;

/// The tree halts at 30 runs of level 0.
const LEVEL_ZERO_RUNS_MAX: usize = 26;

const STEP: Duration = Duration::from_millis(1);

/// Returns when the tree can take a batch without halting, or with an error when its workers are dead.
pub(crate) fn wait_for_workers(keyspaces: &Keyspaces) -> Result<(), TreeError> {
    wait_while(keyspaces, |keyspace| {
        keyspace.sealed_memtable_count() > SEALED_MEMTABLES_MAX
            || keyspace.tree.l0_run_count() > LEVEL_ZERO_RUNS_MAX
    })
}

/// Writes the memtables as tables, so that the next opening has less to replay.
pub(crate) fn flush(keyspaces: &Keyspaces) -> Result<(), TreeError> {
    for keyspace in keyspaces.all() {
        keyspace.rotate_memtable().map_err(TreeError::Reported)?;
    }
    wait_while(keyspaces, |keyspace| keyspace.sealed_memtable_count() > 0)
}

fn wait_while(keyspaces: &Keyspaces, busy: impl Fn(&Keyspace) -> bool) -> Result<(), TreeError> {
    while keyspaces.all().any(&busy) {
        // The cheapest call that reports a worker's failure.
        keyspaces.database.persist(PersistMode::Buffer).map_err(TreeError::Reported)?;
        std::thread::sleep(STEP);
    }
    Ok(())
}
