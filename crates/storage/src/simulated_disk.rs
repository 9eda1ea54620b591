//! An in-memory store that simulates a power cut.
//!
//! Owns the difference between visible and durable: a commit is visible at once and stays unsynced until the next sync.
//! A crash keeps everything synced and a prefix of the unsynced groups, in the order in which all shards committed
//! them. Groups are kept or lost as a whole. The order is one for all shards because a backend with one journal behaves
//! so; a test must assume neither less order than that nor more. Does not own faults of single calls: see
//! [`crate::faulty`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::faulty::yield_once;
use crate::memory::MemoryStore;
use crate::random::SeededRng;
use crate::{
    Read, Result, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp, StorageKey, StorageValue,
    Store, WriteSet,
};

/// When a commit of the simulated disk becomes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskDurability {
    /// Before it is acknowledged, though other callers may see it a moment earlier.
    Synced,
    /// With the next [`Store::sync`] or [`Store::close`].
    Relaxed,
}

/// A store whose unsynced commits a crash may lose.
#[derive(Debug)]
pub struct SimulatedDisk {
    durability: DiskDurability,
    visible: MemoryStore,
    disk: Mutex<DurableState>,
}

#[derive(Debug)]
struct DurableState {
    durable: MemoryStore,
    /// Committed groups that are not durable, oldest first.
    unsynced: Vec<(Shard, Vec<WriteSet>)>,
}

impl SimulatedDisk {
    /// An empty disk.
    #[must_use]
    pub fn new(durability: DiskDurability) -> Self {
        Self::with_contents(durability, MemoryStore::new())
    }

    /// Cuts the power. This store refuses every further call; the returned one holds what was durable plus as many of
    /// the unsynced groups as the seed decides.
    #[must_use]
    pub fn crash(&self, seed: u64) -> Self {
        let mut disk = self.lock_disk();
        // Under the lock, so that no commit can happen between the cut and the copy.
        self.visible.close_now();
        let survivors = SeededRng::new(seed).up_to(disk.unsynced.len() as u64);
        let survivors = usize::try_from(survivors).unwrap_or(usize::MAX);
        // A prefix, never a selection: one journal loses its tail.
        disk.make_durable(survivors);
        Self::with_contents(self.durability, disk.durable.copy_newest())
    }

    /// How many committed groups a crash could lose now.
    #[must_use]
    pub fn unsynced_groups(&self) -> usize {
        self.lock_disk().unsynced.len()
    }

    fn with_contents(durability: DiskDurability, durable: MemoryStore) -> Self {
        let visible = durable.copy_newest();
        Self {
            durability,
            visible,
            disk: Mutex::new(DurableState { durable, unsynced: Vec::new() }),
        }
    }

    fn lock_disk(&self) -> MutexGuard<'_, DurableState> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DurableState {
    /// Replays the oldest unsynced groups. Replayed in the same order they receive the same stamps, and their guards
    /// hold as they did the first time.
    fn make_durable(&mut self, groups: usize) {
        let groups = groups.min(self.unsynced.len());
        for (shard, group) in self.unsynced.drain(..groups) {
            self.durable
                .commit_now(shard, &group)
                .expect("a group that was committed once can be replayed in the same order");
        }
    }
}

#[async_trait]
impl Read for SimulatedDisk {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.visible.get(shard, space, key).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.visible.get_many(shard, space, keys).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.visible.scan(shard, space, scan).await
    }
}

#[async_trait]
impl Store for SimulatedDisk {
    async fn snapshot(&self) -> Result<Arc<dyn Read>> {
        self.visible.snapshot().await
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>> {
        let stamps = {
            let mut disk = self.lock_disk();
            // Under the lock of the disk, so that the unsynced groups are in the order of their commits.
            let stamps = self.visible.commit_now(shard, &group)?;
            disk.unsynced.push((shard, group));
            stamps
        };
        if self.durability == DiskDurability::Synced {
            // In this window other callers see the writes and a crash may still lose them.
            yield_once().await;
            self.sync().await?;
        }
        Ok(stamps)
    }

    async fn last_stamp(&self, shard: Shard) -> Result<Stamp> {
        self.visible.last_stamp(shard).await
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        self.visible.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics> {
        self.visible.statistics(shard).await
    }

    async fn sync(&self) -> Result<()> {
        // Only to refuse a closed store; memory has nothing to sync.
        self.visible.sync().await?;
        let mut disk = self.lock_disk();
        disk.make_durable(usize::MAX);
        Ok(())
    }

    async fn close(&self) -> Result<()> {
        self.sync().await?;
        self.visible.close().await
    }
}
