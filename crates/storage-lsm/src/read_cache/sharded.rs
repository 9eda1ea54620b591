//! A sharded cache with bounded memory, and the visibility rule of its entries.
//!
//! Every entry belongs to a scope: the set of keys whose writes invalidate it. Write batches are numbered, and one
//! thread writes them:
//!
//! ```text
//! writer, batch b                                reader
//! 1. for each scope written:                     1. v = last published batch
//!      shard.written_by = b; remove entries      2. take a snapshot of the tree
//! 2. commit b to the tree                        3. get: entry.since <= v, or miss
//! 3. publish b                                   4. after a miss, read the snapshot and
//!                                                   insert if shard.written_by <= v
//! ```
//!
//! The snapshot contains every batch up to v, and possibly the batch after it, which is committed but not published
//! yet. A reader inserts only if no batch after v has started to write to the shard, so the value it read is the
//! current one, and has been since batch `written_by`. A later batch removes the entry before it commits. Hence an
//! entry in the cache equals what the tree holds for every view from `since` on. See docs/decisions/0011-read-cache.md.

use std::sync::PoisonError;
#[cfg(not(test))]
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
#[cfg(not(test))]
use std::sync::{Mutex, MutexGuard};

#[cfg(test)]
use interleaving::{AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering};

/// Key hashes each shard remembers of entries that were requested once. An entry is copied into the cache only when
/// it is requested again, because most values are read once.
const REQUESTED_ONCE_MAX: usize = 8;

/// The number of the last batch that a read view certainly contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VisibleBatch(pub(super) u64);

/// Hashes of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryHash {
    /// Of what is invalidated together; selects the shard.
    pub(super) scope: u64,
    /// Of the entry's key.
    pub(super) key: u64,
}

/// Entries by key.
pub(super) struct ShardedCache<K, V> {
    shards: Vec<CacheShard<K, V>>,
    shard_bytes_max: usize,
}

/// The scopes whose hashes select this shard.
struct CacheShard<K, V> {
    /// The last batch that has written, or is about to write, to a scope of this shard. It may be another scope than
    /// the entry's: that refuses an insertion or a hit without need, and is never wrong.
    written_by: AtomicU64,
    /// Number of entries, counting one that is about to be inserted. Lets a batch skip the lock of an empty shard.
    entry_count: AtomicUsize,
    entries: Mutex<ShardEntries<K, V>>,
}

struct ShardEntries<K, V> {
    /// Oldest first.
    entries: Vec<CacheEntry<K, V>>,
    /// `entries[i].hash.key`, kept apart: a lookup compares 8 hashes per cache line instead of visiting each entry.
    key_hashes: Vec<u64>,
    bytes: usize,
    /// Ring buffer of key hashes that were requested once.
    requested_once: [u64; REQUESTED_ONCE_MAX],
    requested_next: usize,
}

struct CacheEntry<K, V> {
    hash: EntryHash,
    key: K,
    value: V,
    bytes: usize,
    /// Views that contain this batch see this value.
    since: u64,
}

impl<K, V: Clone> ShardedCache<K, V> {
    pub(super) fn new(bytes_max: u64, shards: usize) -> Self {
        let shard_bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX) / shards;
        Self { shards: (0..shards).map(|_| CacheShard::default()).collect(), shard_bytes_max }
    }

    /// An entry larger than half a shard would evict nearly everything else in it.
    fn accepts_size(&self, bytes: usize) -> bool {
        bytes <= self.shard_bytes_max / 2
    }

    /// The value of a key as a view sees it, if it is cached.
    pub(super) fn get(
        &self,
        view: VisibleBatch,
        hash: EntryHash,
        matches: impl Fn(&K) -> bool,
    ) -> Option<V> {
        let entries = self.shard(hash.scope)?.lock();
        let entry = entries.find(hash, &matches)?;
        // An older view may have been taken before the write that produced this value.
        (entry.since <= view.0).then(|| entry.value.clone())
    }

    /// Inserts what a view has read, unless the value may be outdated or is requested for the first time. `make` copies
    /// key and value; it runs only if the entry is stored.
    pub(super) fn insert(
        &self,
        view: VisibleBatch,
        hash: EntryHash,
        bytes: usize,
        matches: impl Fn(&K) -> bool,
        make: impl FnOnce() -> (K, V),
    ) {
        if !self.accepts_size(bytes) {
            return;
        }
        let Some(shard) = self.shard(hash.scope) else { return };
        let mut entries = shard.lock();
        // The order of these two matters, and both are SeqCst. A batch stores `written_by` and then loads
        // `entry_count`; here it is the other way round. So either this thread sees the batch and does not insert, or
        // the batch sees the count, waits for the lock and removes the entry.
        shard.entry_count.store(entries.entries.len() + 1, Ordering::SeqCst);
        let since = shard.written_by.load(Ordering::SeqCst);
        // An entry that exists under this key although the lookup missed is too young for this view; keep it.
        if since <= view.0 && entries.admit(hash.key) && entries.find(hash, &matches).is_none() {
            // Ends: an entry has at most half of the shard, so an empty shard always has room.
            while entries.bytes + bytes > self.shard_bytes_max {
                // First in, first out. Shifting a few dozen entries is cheaper than the bookkeeping of a recently-used
                // order.
                entries.remove(0);
            }
            let (key, value) = make();
            entries.push(CacheEntry { hash, key, value, bytes, since });
        }
        shard.entry_count.store(entries.entries.len(), Ordering::SeqCst);
    }

    /// Removes the entries of a scope that a batch is about to write to. Must happen before the batch is committed.
    pub(super) fn invalidate(&self, batch: u64, scope: u64) {
        let Some(shard) = self.shard(scope) else { return };
        // Before the count is read: see `insert`.
        shard.written_by.store(batch, Ordering::SeqCst);
        if shard.entry_count.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut entries = shard.lock();
        while let Some(index) = entries.entries.iter().position(|entry| entry.hash.scope == scope) {
            entries.remove(index);
        }
        shard.entry_count.store(entries.entries.len(), Ordering::SeqCst);
    }

    fn shard(&self, scope: u64) -> Option<&CacheShard<K, V>> {
        let index = usize::try_from(scope % self.shards.len() as u64).ok()?;
        self.shards.get(index)
    }
}

impl<K, V> CacheShard<K, V> {
    fn lock(&self) -> MutexGuard<'_, ShardEntries<K, V>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> Default for CacheShard<K, V> {
    fn default() -> Self {
        let entries = ShardEntries {
            entries: Vec::new(),
            key_hashes: Vec::new(),
            bytes: 0,
            requested_once: [0; REQUESTED_ONCE_MAX],
            requested_next: 0,
        };
        Self {
            written_by: AtomicU64::new(0),
            entry_count: AtomicUsize::new(0),
            entries: Mutex::new(entries),
        }
    }
}

impl<K, V> ShardEntries<K, V> {
    /// If two keys hash to the same value, lookup finds the one inserted first; the other is never a hit.
    fn find(&self, hash: EntryHash, matches: &impl Fn(&K) -> bool) -> Option<&CacheEntry<K, V>> {
        let index = self.key_hashes.iter().position(|key| *key == hash.key)?;
        self.entries.get(index).filter(|entry| matches(&entry.key))
    }

    fn push(&mut self, entry: CacheEntry<K, V>) {
        self.bytes += entry.bytes;
        self.key_hashes.push(entry.hash.key);
        self.entries.push(entry);
    }

    fn remove(&mut self, index: usize) {
        self.key_hashes.remove(index);
        self.bytes -= self.entries.remove(index).bytes;
    }

    /// Whether a key was requested before; remembers it if not.
    fn admit(&mut self, key_hash: u64) -> bool {
        if self.requested_once.contains(&key_hash) {
            return true;
        }
        if let Some(oldest) = self.requested_once.get_mut(self.requested_next) {
            *oldest = key_hash;
        }
        self.requested_next = (self.requested_next + 1) % REQUESTED_ONCE_MAX;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: EntryHash = EntryHash { scope: 7, key: 70 };

    fn insert_twice(
        cache: &ShardedCache<u64, u64>,
        view: VisibleBatch,
        hash: EntryHash,
        value: u64,
    ) {
        for _ in 0..2 {
            let matches = |key: &u64| *key == hash.key;
            cache.insert(view, hash, 10, matches, || (hash.key, value));
        }
    }

    fn get(cache: &ShardedCache<u64, u64>, view: VisibleBatch, hash: EntryHash) -> Option<u64> {
        cache.get(view, hash, |key| *key == hash.key)
    }

    #[test]
    fn a_write_invalidates_its_scope_and_no_other() {
        let cache = ShardedCache::new(1 << 20, 4);
        let (beside, elsewhere) =
            (EntryHash { scope: 7, key: 71 }, EntryHash { scope: 11, key: 72 });
        for hash in [HASH, beside, elsewhere] {
            insert_twice(&cache, VisibleBatch(0), hash, hash.key);
        }
        cache.invalidate(1, HASH.scope);
        assert_eq!(get(&cache, VisibleBatch(0), HASH), None);
        assert_eq!(get(&cache, VisibleBatch(0), beside), None);
        assert_eq!(get(&cache, VisibleBatch(0), elsewhere), Some(72), "same shard, another scope");
    }

    /// The value of a scope is the number of the last batch that wrote to it, as a tree would return it.
    #[test]
    fn no_view_gets_the_value_of_another_while_readers_and_a_writer_race() {
        let cache = ShardedCache::<u64, u64>::new(1 << 16, 2);
        let (stored, visible) = (AtomicU64::new(0), AtomicU64::new(0));
        const BATCHES: u64 = 20_000;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while visible.load(Ordering::SeqCst) < BATCHES {
                        let view = VisibleBatch(visible.load(Ordering::SeqCst));
                        let stored_batch = stored.load(Ordering::SeqCst);
                        if let Some(found) = get(&cache, view, HASH) {
                            assert_eq!(found, view.0);
                        }
                        // Twice, because the first request is only remembered.
                        insert_twice(&cache, view, HASH, stored_batch);
                    }
                });
            }
            for batch in 1..=BATCHES {
                cache.invalidate(batch, HASH.scope);
                assert_eq!(get(&cache, VisibleBatch(batch), HASH), None, "before batch {batch}");
                stored.store(batch, Ordering::SeqCst);
                visible.store(batch, Ordering::SeqCst);
            }
        });
    }

    #[test]
    fn entries_and_bytes_are_counted() {
        let cache = ShardedCache::new(64, 1);
        for key in 1..=20 {
            insert_twice(&cache, VisibleBatch(0), EntryHash { scope: key % 3, key }, key);
        }
        let shard = cache.shards.first().unwrap();
        let entries = shard.lock();
        assert_eq!(entries.entries.len(), 6);
        assert_eq!(entries.bytes, 60);
        assert_eq!(shard.entry_count.load(Ordering::SeqCst), 6);
    }
}
