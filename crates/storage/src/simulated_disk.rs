//! A store in memory that can lose power.
//!
//! Owns the difference between visible and durable: commits are visible at once and wait in a tail until they are
//! synced; a crash keeps a prefix of that tail, of whole groups, in the order in which all shards committed them.
//! Does not own faults of single calls: that is [`crate::faulty`]. Durability is one order for all shards because a
//! backend with one journal behaves so; a test must not assume less order than that, nor more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::faulty::give_back_turn;
use crate::memory::MemoryStore;
use crate::random::Dice;
use crate::{
    Read, Result, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp, StorageKey, StorageValue,
    Store, WriteSet,
};

/// When a commit of the simulated disk becomes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskDurability {
    /// Before it is acknowledged; visible a moment earlier.
    Synced,
    /// With the next [`Store::sync`] or [`Store::close`].
    Relaxed,
}

/// A store whose unsynced commits a crash may lose.
#[derive(Debug)]
pub struct SimulatedDisk {
    durability: DiskDurability,
    visible: MemoryStore,
    platter: Mutex<Platter>,
}

#[derive(Debug)]
struct Platter {
    durable: MemoryStore,
    /// Committed groups that are not durable, oldest first.
    tail: Vec<(Shard, Vec<WriteSet>)>,
}

impl SimulatedDisk {
    /// An empty disk.
    #[must_use]
    pub fn new(durability: DiskDurability) -> Self {
        Self::holding(durability, MemoryStore::new())
    }

    /// Cuts the power: this store refuses every further call, and the new one holds what was durable plus as much of
    /// the unsynced tail as the seed decides.
    #[must_use]
    pub fn crash(&self, seed: u64) -> Self {
        let mut platter = self.platter();
        // Closed under the lock, so that no commit can slip in between the cut and the copy.
        self.visible.close_at_once();
        let survivors = Dice::new(seed).up_to(platter.tail.len() as u64);
        let survivors = usize::try_from(survivors).unwrap_or(usize::MAX);
        platter.make_durable(survivors);
        Self::holding(self.durability, platter.durable.copy())
    }

    /// How many committed groups a crash could lose now.
    #[must_use]
    pub fn unsynced_groups(&self) -> usize {
        self.platter().tail.len()
    }

    fn holding(durability: DiskDurability, durable: MemoryStore) -> Self {
        let visible = durable.copy();
        Self { durability, visible, platter: Mutex::new(Platter { durable, tail: Vec::new() }) }
    }

    fn platter(&self) -> MutexGuard<'_, Platter> {
        self.platter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Platter {
    /// Replays the oldest groups of the tail. The same groups in the same order receive the same stamps, and their
    /// guards hold as they held the first time.
    fn make_durable(&mut self, groups: usize) {
        let groups = groups.min(self.tail.len());
        for (shard, group) in self.tail.drain(..groups) {
            self.durable
                .commit_at_once(shard, &group)
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
            let mut platter = self.platter();
            let stamps = self.visible.commit_at_once(shard, &group)?;
            platter.tail.push((shard, group));
            stamps
        };
        if self.durability == DiskDurability::Synced {
            // The moment in which others see the writes and a crash may still lose them.
            give_back_turn().await;
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
        self.visible.sync().await?;
        let mut platter = self.platter();
        platter.make_durable(usize::MAX);
        Ok(())
    }

    async fn close(&self) -> Result<()> {
        self.sync().await?;
        self.visible.close().await
    }
}
