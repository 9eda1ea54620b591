//! The in-memory store: the reference implementation of the contract.
//!
//! Owns versions of values in ordered maps, one map per shard and space. Does not own durability: nothing survives the
//! last handle. A snapshot is a version number, so taking one costs nothing and a commit never copies data. A version
//! that no snapshot can see is dropped by the commit that replaces it, or when the last snapshot ends.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;

use crate::{
    Direction, Entry, Error, ErrorKind, LastStamps, Read, Result, Scan, ScanPage, Shard,
    ShardStatistics, Space, Stamp, StorageKey, StorageValue, Store, Write, WriteSet,
};

/// A store in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    inner: Arc<MemoryInner>,
}

#[derive(Debug, Default)]
struct MemoryInner {
    state: RwLock<MemoryState>,
    last_stamps: LastStamps,
}

#[derive(Debug, Default)]
struct MemoryState {
    closed: bool,
    /// Number of commits to all shards. A reader sees the values whose version is not greater than its own.
    version: u64,
    keys: BTreeMap<(Shard, Space), BTreeMap<StorageKey, History>>,
    /// How many snapshots are alive at each version.
    snapshots: BTreeMap<u64, usize>,
    /// Keys with old versions that only a snapshot can see.
    unpruned: Vec<(Shard, Space, StorageKey)>,
    stamps: BTreeMap<Shard, Stamp>,
}

/// The versions of one key, oldest first; `None` means removed.
type History = Vec<(u64, Option<StorageValue>)>;

struct MemorySnapshot {
    inner: Arc<MemoryInner>,
    version: u64,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Commits without waiting; the simulated disk calls it under its own lock.
    pub(crate) fn commit_now(&self, shard: Shard, group: &[WriteSet]) -> Result<Vec<Stamp>> {
        for set in group {
            set.validate(shard)?;
        }
        let mut state = self.inner.open_for_writing()?;
        // All guards before the first write, as the contract says: against the state before the group.
        state.check_guards(shard, group)?;
        let mut last = state.stamps.get(&shard).copied().unwrap_or_default();
        let mut stamps = Vec::with_capacity(group.len());
        for set in group {
            last = set.stamp_after(last)?;
            stamps.push(last);
        }
        if group.is_empty() {
            return Ok(stamps);
        }
        // One version per group: its sets become visible together.
        state.version += 1;
        for (set, stamp) in group.iter().zip(&stamps) {
            for write in &set.writes {
                state.apply(shard, write, *stamp);
            }
        }
        state.stamps.insert(shard, last);
        // Under the lock, so that two commits to one shard publish their stamps in order.
        self.inner.last_stamps.publish(shard, last);
        Ok(stamps)
    }

    /// An independent store with the same newest values and stamps.
    pub(crate) fn copy_newest(&self) -> Self {
        let state = self.inner.read_lock();
        let mut copied =
            MemoryState { version: 1, stamps: state.stamps.clone(), ..MemoryState::default() };
        for (shard_and_space, keys) in &state.keys {
            let newest = keys.iter().filter_map(|(key, history)| {
                let value = value_at(history, state.version)?;
                Some((key.clone(), vec![(1, Some(value.clone()))]))
            });
            copied.keys.insert(*shard_and_space, newest.collect());
        }
        let last_stamps = LastStamps::new();
        for (shard, stamp) in &copied.stamps {
            last_stamps.publish(*shard, *stamp);
        }
        Self { inner: Arc::new(MemoryInner { state: RwLock::new(copied), last_stamps }) }
    }

    pub(crate) fn close_now(&self) {
        self.inner.write_lock().closed = true;
        self.inner.last_stamps.close();
    }
}

impl MemoryInner {
    fn read_lock(&self) -> RwLockReadGuard<'_, MemoryState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, MemoryState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_for_reading(&self) -> Result<RwLockReadGuard<'_, MemoryState>> {
        let state = self.read_lock();
        if state.closed { Err(closed()) } else { Ok(state) }
    }

    fn open_for_writing(&self) -> Result<RwLockWriteGuard<'_, MemoryState>> {
        let state = self.write_lock();
        if state.closed { Err(closed()) } else { Ok(state) }
    }
}

impl MemoryState {
    fn get(&self, shard: Shard, space: Space, key: &[u8], version: u64) -> Option<&StorageValue> {
        value_at(self.keys.get(&(shard, space))?.get(key)?, version)
    }

    fn check_guards(&self, shard: Shard, group: &[WriteSet]) -> Result<()> {
        for guarded in group.iter().flat_map(|set| &set.guards) {
            let stored = self.get(shard, guarded.space, &guarded.key, self.version);
            if !guarded.holds(stored.map(AsRef::as_ref)) {
                return Err(Error::guard_failed(shard, guarded.space, guarded.key.clone()));
            }
        }
        Ok(())
    }

    fn apply(&mut self, shard: Shard, write: &Write, stamp: Stamp) {
        let (space, key, value) = match write {
            Write::Put { space, key, value, key_stamp_at, value_stamp_at } => {
                let key = stamped(key, *key_stamp_at, stamp);
                (*space, key, Some(stamped(value, *value_stamp_at, stamp)))
            }
            Write::Remove { space, key } => (*space, key.clone(), None),
        };
        // Without a snapshot only the newest version is visible to anybody.
        let oldest_version = self.snapshots.keys().next().copied().unwrap_or(self.version);
        let keys = self.keys.entry((shard, space)).or_default();
        let history = keys.entry(key.clone()).or_default();
        // A second write to the key in the same group replaces the first: a reader sees all of the group or nothing.
        history.retain(|(version, _)| *version != self.version);
        // Histories stay sorted, because versions only grow.
        history.push((self.version, value));
        prune(history, oldest_version);
        match history.as_slice() {
            [(_, None)] => {
                keys.remove(&key);
            }
            [_] => {}
            _ => self.unpruned.push((shard, space, key)),
        }
    }

    fn scan(&self, shard: Shard, space: Space, scan: &Scan, version: u64) -> Result<ScanPage> {
        let Some(keys) = self.keys.get(&(shard, space)) else {
            return ScanPage::fill(scan.limit, std::iter::empty());
        };
        if scan.range.is_empty() {
            return ScanPage::fill(scan.limit, std::iter::empty());
        }
        let bounds = (as_slice(&scan.range.lower), as_slice(&scan.range.upper));
        let entries = keys.range::<[u8], _>(bounds).filter_map(|(key, history)| {
            let value = value_at(history, version)?.clone();
            Some(Ok(Entry { key: key.clone(), value }))
        });
        match scan.direction {
            Direction::Forward => ScanPage::fill(scan.limit, entries),
            Direction::Backward => ScanPage::fill(scan.limit, entries.rev()),
        }
    }

    fn end_snapshot(&mut self, version: u64) {
        if let Some(alive) = self.snapshots.get_mut(&version) {
            *alive -= 1;
            if *alive == 0 {
                self.snapshots.remove(&version);
            }
        }
        // Old versions are pruned only when no snapshot is left.
        if !self.snapshots.is_empty() {
            return;
        }
        for (shard, space, key) in std::mem::take(&mut self.unpruned) {
            let Some(keys) = self.keys.get_mut(&(shard, space)) else {
                continue;
            };
            let Some(history) = keys.get_mut(&key) else {
                continue;
            };
            prune(history, self.version);
            if let [(_, None)] = history.as_slice() {
                keys.remove(&key);
            }
        }
    }
}

#[async_trait]
impl Read for MemoryStore {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        let state = self.inner.open_for_reading()?;
        Ok(state.get(shard, space, key, state.version).cloned())
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        let state = self.inner.open_for_reading()?;
        Ok(keys.iter().map(|key| state.get(shard, space, key, state.version).cloned()).collect())
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        let state = self.inner.open_for_reading()?;
        state.scan(shard, space, scan, state.version)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn snapshot(&self) -> Result<Arc<dyn Read>> {
        let mut state = self.inner.open_for_writing()?;
        let version = state.version;
        *state.snapshots.entry(version).or_default() += 1;
        Ok(Arc::new(MemorySnapshot { inner: Arc::clone(&self.inner), version }))
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>> {
        self.commit_now(shard, &group)
    }

    async fn last_stamp(&self, shard: Shard) -> Result<Stamp> {
        let state = self.inner.open_for_reading()?;
        Ok(state.stamps.get(&shard).copied().unwrap_or_default())
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        self.inner.last_stamps.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics> {
        Ok(ShardStatistics { last_stamp: self.last_stamp(shard).await?, store_bytes: 0 })
    }

    async fn sync(&self) -> Result<()> {
        self.inner.open_for_reading().map(drop)
    }

    async fn close(&self) -> Result<()> {
        self.inner.open_for_reading().map(drop)?;
        self.close_now();
        Ok(())
    }
}

#[async_trait]
impl Read for MemorySnapshot {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        let state = self.inner.open_for_reading()?;
        Ok(state.get(shard, space, key, self.version).cloned())
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        let state = self.inner.open_for_reading()?;
        Ok(keys.iter().map(|key| state.get(shard, space, key, self.version).cloned()).collect())
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.inner.open_for_reading()?.scan(shard, space, scan, self.version)
    }
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        self.inner.write_lock().end_snapshot(self.version);
    }
}

/// The value a reader at `version` sees.
fn value_at(history: &History, version: u64) -> Option<&StorageValue> {
    history.iter().rev().find(|(since, _)| *since <= version)?.1.as_ref()
}

/// Drops the versions that no reader at `oldest_version` or later sees.
fn prune(history: &mut History, oldest_version: u64) {
    // The newest version that the oldest snapshot sees must stay, although it is older than the snapshot.
    let oldest_kept = history.iter().rposition(|(since, _)| *since <= oldest_version).unwrap_or(0);
    history.drain(..oldest_kept);
}

fn stamped(bytes: &StorageKey, at: Option<usize>, stamp: Stamp) -> StorageKey {
    if at.is_none() {
        return bytes.clone();
    }
    let mut stamped = bytes.to_vec();
    stamp.write_at(&mut stamped, at);
    stamped.into()
}

fn as_slice(bound: &Bound<StorageKey>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(key) => Bound::Included(key.as_ref()),
        Bound::Excluded(key) => Bound::Excluded(key.as_ref()),
        Bound::Unbounded => Bound::Unbounded,
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the store is closed")
}
