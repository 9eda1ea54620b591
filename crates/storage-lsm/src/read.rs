//! Reads, on the caller's thread.
//!
//! Owns the way from the tree's slices to bytes. Does not own waiting: a read that misses the cache blocks its
//! thread for the time of a page fault or a disk read, which costs less than handing it to another thread.
//!
//! Every read goes through a snapshot of the tree. The tree makes a batch visible key by key to a reader without
//! one, and a commit must appear in one step.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use bytes::BytesMut;
use fjall::{Keyspace, Readable, Slice, Snapshot};
use storage::{
    Direction, Entry, FillingPage, Read, Result, Scan, ScanLimit, ScanPage, Shard, Space,
    StorageKey, StorageValue,
};

use crate::failure::{closed, read_failed};
use crate::keyspaces::{in_shard, tree_range, with_tree_key};
use crate::recent::{HashedKey, SeenBatch};
use crate::store::{LsmStore, Shared};

/// Values up to this size are copied: that costs the same single allocation, and does not keep a whole block in memory.
const COPIED_BYTES_MAX: usize = 64;

/// Keys of a page that share an allocation have about so many bytes together.
const KEYS_BYTES: usize = 4096;

/// A stable view.
pub(crate) struct LsmSnapshot {
    pub(crate) shared: Arc<Shared>,
    pub(crate) view: View,
}

/// A snapshot of the tree, and which batches it sees for certain.
pub(crate) struct View {
    seen: SeenBatch,
    snapshot: Snapshot,
}

impl View {
    /// A view of the newest commits.
    pub(crate) fn latest(shared: &Shared) -> Self {
        // In this order: the snapshot sees what is visible by now, and perhaps more.
        let seen = shared.recent.seen();
        Self { seen, snapshot: shared.keyspaces.database.snapshot() }
    }
}

impl Shared {
    pub(crate) fn refuse_closed(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) { Err(closed()) } else { Ok(()) }
    }

    /// The newest value of a key.
    fn get_latest(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        with_tree_key(shard, key, |key| {
            let hashed = self.recent.hashed(space, key);
            match self.recent.get(self.recent.seen(), &hashed) {
                Some(value) => Ok(Some(value)),
                None => self.get_stored(&View::latest(self), space, key, &hashed),
            }
        })
    }

    fn get(
        &self,
        view: &View,
        shard: Shard,
        space: Space,
        key: &[u8],
    ) -> Result<Option<StorageValue>> {
        with_tree_key(shard, key, |key| {
            let hashed = self.recent.hashed(space, key);
            match self.recent.get(view.seen, &hashed) {
                Some(value) => Ok(Some(value)),
                None => self.get_stored(view, space, key, &hashed),
            }
        })
    }

    /// The value of a key of the tree.
    fn get_stored(
        &self,
        view: &View,
        space: Space,
        key: &[u8],
        hashed: &HashedKey<'_>,
    ) -> Result<Option<StorageValue>> {
        let keyspace = self.keyspaces.of(space)?;
        let found = view.snapshot.get(keyspace, key);
        let found = found.map_err(|error| read_failed(&self.keyspaces.path, error))?;
        let value = found.map(value_bytes);
        if let Some(value) = &value {
            self.recent.offer(view.seen, hashed, value);
        }
        Ok(value)
    }

    fn get_many(
        &self,
        view: &View,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        let each = || keys.iter().map(|key| self.get(view, shard, space, key)).collect();
        let Some(named) = self.recent.named_keys(shard, space, keys) else { return each() };
        if let Some(values) = self.recent.together(view.seen, &named) {
            return Ok(values);
        }
        let values = each()?;
        self.recent.offer_together(view.seen, &named, &values);
        Ok(values)
    }

    fn scan(&self, view: &View, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        let keyspace = self.keyspaces.of(space)?;
        if scan.range.is_empty() {
            return Ok(FillingPage::new(scan.limit).finish());
        }
        let Some(named) = self.recent.named_scan(shard, space, scan) else {
            return self.scan_stored(view, keyspace, shard, scan);
        };
        if let Some(page) = self.recent.page(view.seen, &named) {
            return Ok(page);
        }
        let page = self.scan_stored(view, keyspace, shard, scan)?;
        self.recent.offer_page(view.seen, &named, &page);
        Ok(page)
    }

    /// The page of a scan of the tree.
    fn scan_stored(
        &self,
        view: &View,
        keyspace: &Keyspace,
        shard: Shard,
        scan: &Scan,
    ) -> Result<ScanPage> {
        let range = view.snapshot.range(keyspace, tree_range(shard, &scan.range, scan.direction));
        match scan.direction {
            Direction::Forward => self.page(shard, scan.limit, range),
            Direction::Backward => self.page(shard, scan.limit, range.rev()),
        }
    }

    /// Entries of one shard until a limit is reached or another shard begins.
    fn page(
        &self,
        shard: Shard,
        limit: ScanLimit,
        range: impl Iterator<Item = fjall::Guard>,
    ) -> Result<ScanPage> {
        let mut keys = KeysOfPage::default();
        let mut page = FillingPage::new(limit);
        for guard in range {
            let (key, value) = match guard.into_inner() {
                Ok(pair) => pair,
                Err(error) => return Err(read_failed(&self.keyspaces.path, error)),
            };
            let Some(key) = in_shard(shard, &key) else { break };
            if !page.push(Entry { key: keys.add(key), value: value_bytes(value) }) {
                break;
            }
        }
        Ok(page.finish())
    }
}

/// Keys of a page, several in one allocation.
#[derive(Default)]
struct KeysOfPage(BytesMut);

impl KeysOfPage {
    #[inline]
    fn add(&mut self, key: &[u8]) -> StorageKey {
        if self.0.capacity() < key.len() {
            self.0 = BytesMut::with_capacity(KEYS_BYTES.max(key.len()));
        }
        self.0.extend_from_slice(key);
        self.0.split().freeze()
    }
}

#[inline]
fn value_bytes(value: Slice) -> StorageValue {
    if value.len() <= COPIED_BYTES_MAX {
        StorageValue::copy_from_slice(&value)
    } else {
        StorageValue::from_owner(value)
    }
}

#[async_trait]
impl Read for LsmStore {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.shared.refuse_closed()?;
        self.shared.get_latest(shard, space, key)
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.shared.refuse_closed()?;
        self.shared.get_many(&View::latest(&self.shared), shard, space, keys)
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.shared.refuse_closed()?;
        self.shared.scan(&View::latest(&self.shared), shard, space, scan)
    }
}

#[async_trait]
impl Read for LsmSnapshot {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.shared.refuse_closed()?;
        self.shared.get(&self.view, shard, space, key)
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.shared.refuse_closed()?;
        self.shared.get_many(&self.view, shard, space, keys)
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.shared.refuse_closed()?;
        self.shared.scan(&self.view, shard, space, scan)
    }
}
