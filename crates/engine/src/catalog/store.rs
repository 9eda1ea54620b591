//! The stored catalog: shard 0 of the store.
//!
//! Owns loading, the commit of changes, numbers that must not repeat (shards, etags), and the list of shards to
//! reclaim. The engine keeps it behind one lock, so that changes of the catalog are serial. Does not own the view in
//! memory.

use model::{ContainerId, DatabaseId, Etag, TimestampSeconds};
use std::sync::Arc;
use storage::{KeyRange, Scan, ScanLimit, Shard, StorageKey, Store, WriteSet};

use super::record::{ContainerRecord, DatabaseRecord};
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{CATALOG, CATALOG_SHARD, catalog_key, catalog_name};

// Stored in keys. A number must never be given another meaning.
const DATABASE: u8 = 1;
const CONTAINER: u8 = 2;
const NUMBERS: u8 = 3;
const RECLAIM: u8 = 4;

/// Entries per scan while loading.
const LOAD_ENTRIES: usize = 1000;
/// How often the store is asked whether a failed commit has arrived.
const ASKED_AGAIN_MAX: usize = 16;

/// The stored catalog with its counters; protected by the catalog lock.
pub(crate) struct CatalogStore {
    pub(super) store: Arc<dyn Store>,
    next_shard: u32,
    writes: u64,
    /// Whether the last commit failed and the store could not say whether it has arrived.
    unknown: bool,
}

/// Everything that one change writes, committed atomically.
#[derive(Default)]
pub(crate) struct CatalogWrite {
    pub(super) set: WriteSet,
}

impl CatalogWrite {
    pub(crate) fn put_database(&mut self, record: &DatabaseRecord) {
        let key = catalog_key(DATABASE, &[record.properties.id.as_str()]);
        self.set.put(CATALOG, key, record.encode());
    }

    pub(crate) fn remove_database(&mut self, id: &DatabaseId) {
        self.set.remove(CATALOG, catalog_key(DATABASE, &[id.as_str()]));
    }

    pub(crate) fn put_container(&mut self, database: &DatabaseId, record: &ContainerRecord) {
        let key = container_key(database, &record.properties.id);
        self.set.put(CATALOG, key, record.encode());
    }

    pub(crate) fn remove_container(&mut self, database: &DatabaseId, id: &ContainerId) {
        self.set.remove(CATALOG, container_key(database, id));
    }

    /// Marks a shard: its content is to be removed in the background.
    pub(crate) fn reclaim(&mut self, shard: Shard) {
        self.set.put(CATALOG, reclaim_key(shard), Vec::new());
    }

    /// Removes the mark: the shard is in use, or empty.
    pub(crate) fn keep(&mut self, shard: Shard) {
        self.set.remove(CATALOG, reclaim_key(shard));
    }
}

impl CatalogStore {
    pub(crate) async fn open(store: Arc<dyn Store>) -> Result<Self> {
        let numbers = store.get(CATALOG_SHARD, CATALOG, &catalog_key(NUMBERS, &[])).await?;
        let (next_shard, writes) = match numbers {
            Some(bytes) => decode_numbers(&bytes)
                .ok_or_else(|| Error::corrupt("the numbers of the catalog are damaged"))?,
            // A new store. Shard 0 is the catalog itself.
            None => (1, 0),
        };
        Ok(Self { store, next_shard, writes, unknown: false })
    }

    /// A shard number that was never used.
    pub(crate) fn new_shard(&mut self) -> Shard {
        let shard = Shard(self.next_shard);
        // In memory only; the next commit stores it. A number that a failed commit has used is never given out again.
        self.next_shard += 1;
        shard
    }

    /// An etag that was never used in the catalog.
    pub(crate) fn new_etag(&mut self, timestamp: TimestampSeconds) -> Etag {
        self.writes += 1;
        // Partition 0 in an etag of the catalog: items of partition 0 have etags too, but they are never compared with
        // these.
        Etag::new(self.writes, 0, timestamp)
    }

    /// A number that was never used in the catalog.
    pub(crate) fn new_number(&mut self) -> u64 {
        self.writes += 1;
        self.writes
    }

    /// Commits a change. After a failure the store is asked whether the change has arrived: the write counter in it
    /// distinguishes this commit from all others.
    pub(crate) async fn commit(&mut self, mut write: CatalogWrite) -> Result<()> {
        self.check_known()?;
        self.writes += 1;
        let mut numbers = self.next_shard.to_be_bytes().to_vec();
        numbers.extend_from_slice(&self.writes.to_be_bytes());
        // In the same set as the change, so that numbers and what uses them are stored together or not at all.
        write.set.put(CATALOG, catalog_key(NUMBERS, &[]), numbers.clone());
        let Err(error) = self.store.commit(CATALOG_SHARD, vec![write.set]).await else {
            return Ok(());
        };
        // The commit may have arrived although its acknowledgement was lost. The counters are part of the commit and
        // differ from those of every other commit, so that reading them back decides.
        for _ in 0..ASKED_AGAIN_MAX {
            let stored = self.store.get(CATALOG_SHARD, CATALOG, &catalog_key(NUMBERS, &[])).await;
            // Bounded, because this runs under the catalog lock. A store that has stopped stays stopped.
            let Ok(stored) = stored else { continue };
            let has_arrived = stored.is_some_and(|stored| stored.as_ref() == numbers.as_slice());
            return if has_arrived { Ok(()) } else { Err(error.into()) };
        }
        self.unknown = true;
        Err(error.into())
    }

    /// Whether memory may differ from the store. Then nothing may be written or reclaimed until the engine is reopened.
    pub(crate) fn is_unknown(&self) -> bool {
        self.unknown
    }

    fn check_known(&self) -> Result<()> {
        if !self.unknown {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Unavailable,
            "it is not known whether the last change of the catalog has reached the store; open the engine again",
        ))
    }

    pub(crate) async fn databases(&self) -> Result<Vec<DatabaseRecord>> {
        let entries = self.entries(KeyRange::prefix(&[DATABASE])).await?;
        entries.iter().map(|(_, value)| DatabaseRecord::decode(value)).collect()
    }

    /// Containers with the id of their database.
    pub(crate) async fn containers(&self) -> Result<Vec<(DatabaseId, ContainerRecord)>> {
        let entries = self.entries(KeyRange::prefix(&[CONTAINER])).await?;
        entries
            .iter()
            .map(|(key, value)| {
                let name = catalog_name(key);
                let name = name.ok_or_else(|| Error::corrupt("a catalog key is damaged"))?;
                Ok((DatabaseId::new(name)?, ContainerRecord::decode(value)?))
            })
            .collect()
    }

    /// Shards whose content is to be removed.
    pub(crate) async fn shards_to_reclaim(&self) -> Result<Vec<Shard>> {
        self.check_known()?;
        let entries = self.entries(KeyRange::prefix(&[RECLAIM])).await?;
        // The shard is decimal text in the key, so that a listing of the catalog can be read by people.
        let shard = |key: &StorageKey| catalog_name(key)?.parse().ok().map(Shard);
        entries
            .iter()
            .map(|(key, _)| shard(key).ok_or_else(|| Error::corrupt("a catalog key is damaged")))
            .collect()
    }

    /// Whether the content of a shard is still to be removed.
    pub(crate) async fn read_reclaim_mark(&self, shard: Shard) -> Result<bool> {
        self.check_known()?;
        Ok(self.store.get(CATALOG_SHARD, CATALOG, &reclaim_key(shard)).await?.is_some())
    }

    pub(super) async fn entries(
        &self,
        mut range: KeyRange,
    ) -> Result<Vec<(StorageKey, storage::StorageValue)>> {
        let mut entries = Vec::new();
        loop {
            let scan = Scan::forward(range.clone(), ScanLimit::entries(LOAD_ENTRIES));
            let page = self.store.scan(CATALOG_SHARD, CATALOG, &scan).await?;
            let last = page.entries.last().map(|entry| entry.key.clone());
            entries.extend(page.entries.into_iter().map(|entry| (entry.key, entry.value)));
            match last {
                Some(last) if page.more => range = range.after(last, storage::Direction::Forward),
                _ => return Ok(entries),
            }
        }
    }
}

fn container_key(database: &DatabaseId, container: &ContainerId) -> StorageKey {
    catalog_key(CONTAINER, &[database.as_str(), container.as_str()])
}

fn reclaim_key(shard: Shard) -> StorageKey {
    catalog_key(RECLAIM, &[&shard.0.to_string()])
}

fn decode_numbers(bytes: &[u8]) -> Option<(u32, u64)> {
    let (&shard, rest) = bytes.split_first_chunk::<4>()?;
    let (&writes, _) = rest.split_first_chunk::<8>()?;
    Some((u32::from_be_bytes(shard), u64::from_be_bytes(writes)))
}
