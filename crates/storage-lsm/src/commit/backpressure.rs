//! Backpressure: sealing memtables and waiting for the tree's workers before a batch instead of inside it.
//!
//! Owns the thresholds. The tree has its own, slightly higher ones; when a write reaches them, it sleeps in steps of
//! 100 ms, and forever if the workers have died of a full disk. Waiting before the batch takes short steps and notices
//! dead workers. Does not own the consequence: the committer stops the store.
//!
//! Full memtables are sealed here as well. The tree would leave that to its worker and send it a message after every
//! batch. While the worker compacts, its bounded queue fills with such messages, and the first one it handles makes it
//! wait for room in the queue that only the worker itself empties. From then on nothing is flushed, and memory and
//! journal grow without bound. Sealed before the next batch, a memtable causes one message, so the bound on sealed
//! memtables is a bound on the queue.

use std::time::Duration;

use fjall::{AbstractTree, Keyspace, PersistMode};

use crate::error::TreeError;
use crate::keyspaces::Keyspaces;

/// The tree halts writes at 4 sealed memtables. Sealing here adds one; a batch adds another only if it alone exceeds a
/// memtable.
const SEALED_MEMTABLES_MAX: usize = 2;

/// The tree halts writes at 30 runs of level 0.
const LEVEL_ZERO_RUNS_MAX: usize = 26;

const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Returns when the tree can accept a batch without halting and no memtable is full, or with an error when the workers
/// are dead.
pub(crate) fn make_room(keyspaces: &Keyspaces) -> Result<(), TreeError> {
    wait_while(keyspaces, |keyspace| {
        keyspace.sealed_memtable_count() > SEALED_MEMTABLES_MAX
            || keyspace.tree.l0_run_count() > LEVEL_ZERO_RUNS_MAX
    })?;
    for keyspace in keyspaces.iter() {
        // After the wait, so that sealing one more stays below the bound of the tree.
        if keyspace.tree.active_memtable().size() > keyspaces.memtable_bytes_max() {
            keyspace.rotate_memtable().map_err(TreeError::Returned)?;
        }
    }
    Ok(())
}

/// Writes the memtables as tables, so that the next opening replays a shorter journal.
pub(crate) fn flush(keyspaces: &Keyspaces) -> Result<(), TreeError> {
    for keyspace in keyspaces.iter() {
        keyspace.rotate_memtable().map_err(TreeError::Returned)?;
    }
    wait_while(keyspaces, |keyspace| keyspace.sealed_memtable_count() > 0)
}

fn wait_while(keyspaces: &Keyspaces, busy: impl Fn(&Keyspace) -> bool) -> Result<(), TreeError> {
    while keyspaces.iter().any(&busy) {
        // The cheapest call that reports a worker's failure.
        keyspaces.database().persist(PersistMode::Buffer).map_err(TreeError::Returned)?;
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use storage::contract::SPACES;
    use storage::{Shard, Store, WriteSet};

    use super::*;
    use crate::{Durability, LsmSettings, LsmStore};

    const MEMTABLE_BYTES_MAX: u64 = 16 * 1024;
    const VALUE_BYTES: usize = 512;
    /// Above what a batch of one commit adds to a memtable.
    const BATCH_BYTES_MAX: u64 = 2 * 1024;

    fn open(folder: &std::path::Path) -> Arc<LsmStore> {
        let durability = Durability::Relaxed { sync_every_ms: 1_000 };
        let memtable_bytes_max = MEMTABLE_BYTES_MAX;
        let settings = LsmSettings { durability, memtable_bytes_max, ..LsmSettings::default() };
        LsmStore::open(folder, SPACES, settings).unwrap()
    }

    /// Many more batches than fit into the tree's worker queue, as fast as possible.
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
            for keyspace in store.keyspaces().iter() {
                let bytes = keyspace.tree.active_memtable().size();
                let name = keyspace.name();
                assert!(bytes <= MEMTABLE_BYTES_MAX + BATCH_BYTES_MAX, "{name}: {bytes} bytes");
                assert!(keyspace.sealed_memtable_count() <= SEALED_MEMTABLES_MAX + 2, "{name}");
            }
        }
        store.close().await.unwrap();
    }
}
