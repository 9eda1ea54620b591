//! Sealing memtables and waiting for the tree's workers before a batch, instead of inside it.
//!
//! Owns the thresholds. The tree has its own, a little higher: there it sleeps in steps of 100 ms, and forever when its
//! workers have died of a full disk. Waiting before the batch is short-stepped and notices dead workers.
//! Does not own what happens then: the committer stops the store.
//!
//! A full memtable is sealed here as well. The tree would leave that to its worker and remind it after every batch; a
//! worker that compacts for long then finds its queue full of reminders, and the first one makes it wait for room in
//! the queue that only it empties. From then on nothing is flushed, and memory and journal grow until the end. Sealed
//! before the next batch, a memtable causes one reminder, and the bound on sealed ones is a bound on the queue.

use std::time::Duration;

use fjall::{AbstractTree, Keyspace, PersistMode};

use crate::failure::TreeError;
use crate::keyspaces::Keyspaces;

/// The tree halts at 4 sealed memtables. Sealing here adds one; a batch adds one more only if it alone is too much for
/// a memtable.
const SEALED_MEMTABLES_MAX: usize = 2;

/// The tree halts at 30 runs of level 0.
const LEVEL_ZERO_RUNS_MAX: usize = 26;

const STEP: Duration = Duration::from_millis(1);

/// Returns when the tree can take a batch without halting, or with an error when its workers are dead. No memtable is
/// full then.
pub(crate) fn make_room(keyspaces: &Keyspaces) -> Result<(), TreeError> {
    wait_while(keyspaces, |keyspace| {
        keyspace.sealed_memtable_count() > SEALED_MEMTABLES_MAX
            || keyspace.tree.l0_run_count() > LEVEL_ZERO_RUNS_MAX
    })?;
    for keyspace in keyspaces.all() {
        if keyspace.tree.active_memtable().size() > keyspaces.memtable_bytes_max {
            keyspace.rotate_memtable().map_err(TreeError::Reported)?;
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use storage::contract::SPACES;
    use storage::{Shard, Store, WriteSet};

    use super::*;
    use crate::{Durability, LsmStore, Settings};

    const MEMTABLE_BYTES_MAX: u64 = 16 * 1024;
    const VALUE_BYTES: usize = 512;
    /// Above what a batch of one commit adds to a memtable.
    const BATCH_BYTES_MAX: u64 = 2 * 1024;

    fn open(folder: &std::path::Path) -> Arc<LsmStore> {
        let durability = Durability::Relaxed { sync_every_ms: 1_000 };
        let memtable_bytes_max = MEMTABLE_BYTES_MAX;
        let settings = Settings { durability, memtable_bytes_max, ..Settings::default() };
        LsmStore::open(folder, SPACES, settings).unwrap()
    }

    /// Far more batches than the tree's queue has places, as fast as they go.
    #[tokio::test]
    async fn writers_faster_than_the_workers_do_not_outgrow_the_memtables() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        for number in 0..1_200_u32 {
            let mut set = WriteSet::new();
            for space in SPACES {
                set.put(*space, number.to_be_bytes().to_vec(), vec![7; VALUE_BYTES]);
            }
            store.commit(Shard(1), vec![set]).await.unwrap();
            for keyspace in store.shared.keyspaces.all() {
                let bytes = keyspace.tree.active_memtable().size();
                let name = keyspace.name();
                assert!(bytes <= MEMTABLE_BYTES_MAX + BATCH_BYTES_MAX, "{name}: {bytes} bytes");
                assert!(keyspace.sealed_memtable_count() <= SEALED_MEMTABLES_MAX + 2, "{name}");
            }
        }
        store.close().await.unwrap();
    }
}
