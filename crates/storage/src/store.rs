//! The trait a backend implements.
//!
//! Owns the signatures and their promises. Does not own any implementation; `contract` tests every promise made here.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{Result, Scan, ScanPage, Shard, Space, Stamp, StorageKey, StorageValue, WriteSet};

/// Reads, on the latest committed state or on a snapshot.
#[async_trait]
pub trait Read: Send + Sync {
    /// The value of one key.
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>>;

    /// The values of several keys, in the order asked; one round trip.
    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>>;

    /// A range of one space, in key order, limited. Never crosses into another shard or space.
    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage>;
}

/// An opened store.
#[async_trait]
pub trait Store: Read {
    /// A stable view of all shards as of now. Short-lived: it may hold back the reclaiming of space.
    async fn snapshot(&self) -> Result<Arc<dyn Read>>;

    /// Commits write sets of one shard as one atomic group and returns one stamp per set, consecutive or greater.
    ///
    /// All guards of all sets are checked against the state before the group; one that fails refuses the whole group.
    /// When the call returns, the group is visible to every later read and durable as the store's settings promise.
    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>>;

    /// The stamp of the shard's newest commit.
    async fn last_stamp(&self, shard: Shard) -> Result<Stamp>;

    /// Returns once the shard's newest stamp is greater than `after`, with that stamp.
    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp>;

    /// Approximate numbers for people and planners.
    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics>;

    /// Makes everything committed so far durable, whatever the settings say.
    async fn sync(&self) -> Result<()>;

    /// Finishes queued commits, makes them durable and refuses further calls with [`crate::ErrorKind::Closed`].
    async fn close(&self) -> Result<()>;
}

/// Approximate size of a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardStatistics {
    /// Newest stamp.
    pub last_stamp: Stamp,
    /// Bytes on disk of the whole store, as far as the backend can tell; zero when unknown.
    pub store_bytes: u64,
}
