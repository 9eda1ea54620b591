//! Reads, on the caller's thread.
//!
//! Owns the path from the read cache through the tree to bytes. Does not own any thread: a read that misses the caches
//! blocks its caller for a page fault or a disk read, which costs less than handing it to another thread.
//!
//! Every read of the tree goes through a snapshot. Without one, the tree makes a batch visible key by key, and a commit
//! must become visible in one step.

use std::cmp::Ordering;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use bytes::BytesMut;
use fjall::{Readable, Slice, Snapshot};
use storage::{
    Direction, Entry, Read, Result, Scan, ScanLimit, ScanPage, ScanPageBuilder, Shard, Space,
    StorageKey, StorageValue,
};

use crate::error::{read_failed, snapshot_lost};
use crate::inner::LsmInner;
use crate::keyspaces::{Keyspaces, strip_shard, tree_range, with_tree_key};
use crate::read_cache::{ValueLookup, VisibleBatch};
use crate::run_buffer::{BufferView, MergedRuns, in_direction};

/// Values up to this size are copied out of their block: the copy needs one allocation, as a shared slice does, and
/// does not keep the whole block in memory.
const COPIED_BYTES_MAX: usize = 64;

/// Size of the allocations that the keys of a page share.
const KEY_BUFFER_BYTES: usize = 4096;

/// A snapshot as the `Read` trait presents it.
pub(crate) struct LsmSnapshot {
    inner: Arc<LsmInner>,
    /// Weak: a snapshot that somebody keeps must not prevent the tree from being opened again after a failed write.
    keyspaces: Weak<Keyspaces>,
    view: NumberedSnapshot,
}

/// A snapshot of the tree and the runs that belong to it, and the last batch it certainly contains.
pub(crate) struct NumberedSnapshot {
    batch: VisibleBatch,
    snapshot: Snapshot,
    buffer: BufferView,
}

impl NumberedSnapshot {
    /// The newest commits.
    pub(crate) fn latest(inner: &LsmInner, keyspaces: &Keyspaces) -> Self {
        // In this order: the snapshot contains at least what was published before it was taken.
        let batch = inner.read_cache.visible_batch();
        let (snapshot, buffer) = keyspaces.snapshot();
        Self { batch, snapshot, buffer }
    }
}

impl LsmSnapshot {
    pub(crate) fn latest(inner: &Arc<LsmInner>) -> Result<Self> {
        let keyspaces = inner.keyspaces()?;
        let view = NumberedSnapshot::latest(inner, &keyspaces);
        Ok(Self { inner: Arc::clone(inner), keyspaces: Arc::downgrade(&keyspaces), view })
    }

    /// The tree of this snapshot, for one call.
    fn keyspaces(&self) -> Result<Arc<Keyspaces>> {
        self.inner.check_open()?;
        self.keyspaces.upgrade().ok_or_else(|| snapshot_lost(self.inner.path()))
    }
}

impl LsmInner {
    /// The newest value of a key. A cache hit takes no snapshot: one key is atomic by itself.
    pub(crate) fn get_latest(
        &self,
        shard: Shard,
        space: Space,
        key: &[u8],
    ) -> Result<Option<StorageValue>> {
        with_tree_key(shard, key, |tree_key| {
            let lookup = self.read_cache.value_lookup(space, tree_key);
            match self.read_cache.get_value(self.read_cache.visible_batch(), &lookup) {
                Some(value) => Ok(Some(value)),
                None => {
                    let keyspaces = self.keyspaces()?;
                    let view = NumberedSnapshot::latest(self, &keyspaces);
                    self.get_from_tree(&keyspaces, &view, space, tree_key, &lookup)
                }
            }
        })
    }

    fn get(
        &self,
        keyspaces: &Keyspaces,
        view: &NumberedSnapshot,
        shard: Shard,
        space: Space,
        key: &[u8],
    ) -> Result<Option<StorageValue>> {
        with_tree_key(shard, key, |tree_key| {
            let lookup = self.read_cache.value_lookup(space, tree_key);
            match self.read_cache.get_value(view.batch, &lookup) {
                Some(value) => Ok(Some(value)),
                None => self.get_from_tree(keyspaces, view, space, tree_key, &lookup),
            }
        })
    }

    fn get_from_tree(
        &self,
        keyspaces: &Keyspaces,
        view: &NumberedSnapshot,
        space: Space,
        tree_key: &[u8],
        lookup: &ValueLookup<'_>,
    ) -> Result<Option<StorageValue>> {
        let keyspace = keyspaces.get(space)?;
        let recent = keyspaces.is_buffered(space).then(|| view.buffer.get(tree_key)).flatten();
        let value = match recent {
            Some(recent) => recent.map(StorageValue::copy_from_slice),
            None => {
                let stored = view.snapshot.get(keyspace, tree_key);
                stored.map_err(|error| read_failed(self.path(), error))?.map(to_storage_value)
            }
        };
        if let Some(value) = &value {
            // Absent keys are not cached: most look-ups of absent keys are creates, which write the key right after.
            self.read_cache.insert_value(view.batch, lookup, value);
        }
        Ok(value)
    }

    pub(crate) fn get_many(
        &self,
        keyspaces: &Keyspaces,
        view: &NumberedSnapshot,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        let get_each =
            || keys.iter().map(|key| self.get(keyspaces, view, shard, space, key)).collect();
        let Some(lookup) = self.read_cache.multi_get_lookup(shard, space, keys) else {
            return get_each();
        };
        if let Some(values) = self.read_cache.get_values(view.batch, &lookup) {
            return Ok(values);
        }
        let values = get_each()?;
        self.read_cache.insert_values(view.batch, &lookup, &values);
        Ok(values)
    }

    pub(crate) fn scan(
        &self,
        keyspaces: &Keyspaces,
        view: &NumberedSnapshot,
        shard: Shard,
        space: Space,
        scan: &Scan,
    ) -> Result<ScanPage> {
        if scan.range.is_empty() {
            keyspaces.get(space)?;
            return Ok(ScanPageBuilder::new(scan.limit).finish());
        }
        let Some(lookup) = self.read_cache.page_lookup(shard, space, scan) else {
            return self.scan_view(keyspaces, view, shard, space, scan);
        };
        if let Some(page) = self.read_cache.get_page(view.batch, &lookup) {
            return Ok(page);
        }
        let page = self.scan_view(keyspaces, view, shard, space, scan)?;
        self.read_cache.insert_page(view.batch, &lookup, &page);
        Ok(page)
    }

    fn scan_view(
        &self,
        keyspaces: &Keyspaces,
        view: &NumberedSnapshot,
        shard: Shard,
        space: Space,
        scan: &Scan,
    ) -> Result<ScanPage> {
        let keyspace = keyspaces.get(space)?;
        let bounds = tree_range(shard, &scan.range, scan.direction);
        if keyspaces.is_buffered(space) {
            let slices =
                (bounds.0.as_ref().map(Vec::as_slice), bounds.1.as_ref().map(Vec::as_slice));
            let recent = MergedRuns::range(view.buffer.runs(), slices, scan.direction);
            if !recent.is_empty() {
                let range = view.snapshot.range(keyspace, bounds);
                return match scan.direction {
                    Direction::Forward => self.read_merged_page(shard, scan, range, recent),
                    Direction::Backward => self.read_merged_page(shard, scan, range.rev(), recent),
                };
            }
        }
        let range = view.snapshot.range(keyspace, bounds);
        match scan.direction {
            Direction::Forward => self.read_page(shard, scan.limit, range),
            Direction::Backward => self.read_page(shard, scan.limit, range.rev()),
        }
    }

    /// Reads entries of one shard until a limit is reached or another shard begins.
    fn read_page(
        &self,
        shard: Shard,
        limit: ScanLimit,
        range: impl Iterator<Item = fjall::Guard>,
    ) -> Result<ScanPage> {
        let mut keys = KeyBuffer::default();
        let mut page = ScanPageBuilder::new(limit);
        for guard in range {
            let (tree_key, value) = match guard.into_inner() {
                Ok(pair) => pair,
                Err(error) => return Err(read_failed(self.path(), error)),
            };
            // The first key of the next shard ends an open range; see `tree_range`.
            let Some(key) = strip_shard(shard, &tree_key) else { break };
            let entry = Entry { key: keys.copy(key), value: to_storage_value(value) };
            if !page.push(entry) {
                break;
            }
        }
        Ok(page.finish())
    }

    /// The same for entries of the tree and of runs, in the direction of the scan. Those of the runs are newer.
    fn read_merged_page(
        &self,
        shard: Shard,
        scan: &Scan,
        range: impl Iterator<Item = fjall::Guard>,
        mut recent: MergedRuns<'_>,
    ) -> Result<ScanPage> {
        let stored = range.map(|guard| guard.into_inner());
        let mut stored = stored.map(|pair| pair.map_err(|error| read_failed(self.path(), error)));
        let mut keys = KeyBuffer::default();
        let mut page = ScanPageBuilder::new(scan.limit);
        let (mut next_stored, mut next_recent) = (stored.next().transpose()?, recent.next());
        loop {
            let stored_key = next_stored.as_ref().map(|(key, _)| key.as_ref());
            let recent_key = next_recent.map(|(key, _)| key);
            let Some(order) = next_of(stored_key, recent_key, scan.direction) else { break };
            let tree_key = if order == Ordering::Less { stored_key } else { recent_key };
            // The first key of the next shard ends an open range; see `tree_range`.
            let Some(key) = tree_key.and_then(|key| strip_shard(shard, key)) else { break };
            let key = keys.copy(key);
            let value = if order == Ordering::Less {
                next_stored.take().map(|(_, value)| to_storage_value(value))
            } else {
                let recent = next_recent.and_then(|(_, value)| value);
                recent.map(StorageValue::copy_from_slice)
            };
            // A removed key has no value.
            if let Some(value) = value
                && !page.push(Entry { key, value })
            {
                break;
            }
            if order != Ordering::Greater {
                next_stored = stored.next().transpose()?;
            }
            if order != Ordering::Less {
                next_recent = recent.next();
            }
        }
        Ok(page.finish())
    }
}

/// The next of two entries in the direction of a scan; `Equal` if the recent one replaces the stored one.
fn next_of(stored: Option<&[u8]>, recent: Option<&[u8]>, direction: Direction) -> Option<Ordering> {
    match (stored, recent) {
        (None, None) => None,
        (Some(_), None) => Some(Ordering::Less),
        (None, Some(_)) => Some(Ordering::Greater),
        (Some(stored), Some(recent)) => Some(in_direction(stored.cmp(recent), direction)),
    }
}

/// Copies the keys of a page into shared allocations.
#[derive(Default)]
struct KeyBuffer(BytesMut);

impl KeyBuffer {
    #[inline]
    fn copy(&mut self, key: &[u8]) -> StorageKey {
        // A new buffer, never a grown one: keys that were handed out point into the old one.
        if self.0.capacity() < key.len() {
            self.0 = BytesMut::with_capacity(KEY_BUFFER_BYTES.max(key.len()));
        }
        self.0.extend_from_slice(key);
        self.0.split().freeze()
    }
}

#[inline]
fn to_storage_value(value: Slice) -> StorageValue {
    if value.len() <= COPIED_BYTES_MAX {
        StorageValue::copy_from_slice(&value)
    } else {
        StorageValue::from_owner(value)
    }
}

#[async_trait]
impl Read for LsmSnapshot {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.inner.get(&*self.keyspaces()?, &self.view, shard, space, key)
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.inner.get_many(&*self.keyspaces()?, &self.view, shard, space, keys)
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.inner.scan(&*self.keyspaces()?, &self.view, shard, space, scan)
    }
}
