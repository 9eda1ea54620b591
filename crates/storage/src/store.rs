//! The traits that a backend implements.
//!
//! Owns the signatures and their guarantees. Does not own any implementation; `contract` tests every guarantee made
//! here.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{Result, Scan, ScanPage, Shard, Space, Stamp, StorageKey, StorageValue, WriteSet};

/// Reads of the latest committed state or of a snapshot.
#[async_trait]
pub trait Read: Send + Sync {
    /// The value of one key.
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>>;

    /// The values of several keys, in the order of the keys. A remote backend needs one round trip.
    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>>;

    /// A page of a range, in key order. It never reaches into another shard or space.
    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage>;
}

/// An open store.
#[async_trait]
pub trait Store: Read {
    /// A consistent snapshot of all shards. Keep it for a short time: it may prevent old versions from being reclaimed.
    async fn snapshot(&self) -> Result<Arc<dyn Read>>;

    /// Commits write sets to one shard as one atomic group and returns one stamp per set, strictly increasing.
    ///
    /// All guards of all sets are checked against the state before the group; if one fails, nothing is written.
    /// When the call returns, the group is visible to every later read and as durable as the settings of the store say.
    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>>;

    /// The stamp of the shard's newest commit.
    async fn last_stamp(&self, shard: Shard) -> Result<Stamp>;

    /// Waits until the newest stamp of the shard is greater than `after`, and returns it.
    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp>;

    /// Approximate figures for monitoring and planning.
    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics>;

    /// Why the store does not accept writes at present; `None` if it does. Reads may still be served.
    fn write_failure(&self) -> Option<String> {
        None
    }

    /// Makes everything committed so far durable, regardless of the settings.
    async fn sync(&self) -> Result<()>;

    /// Finishes queued commits, makes them durable and fails all further calls with [`crate::ErrorKind::Closed`].
    async fn close(&self) -> Result<()>;
}

/// Approximate figures of a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardStatistics {
    /// The newest stamp.
    pub last_stamp: Stamp,
    /// Bytes on disk of the whole store, if the backend knows them; otherwise zero.
    pub store_bytes: u64,
}
