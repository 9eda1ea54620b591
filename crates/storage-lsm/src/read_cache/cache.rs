//! The read cache as the store uses it: three kinds of entries, one sequence of batches.
//!
//! Owns the share of memory and the scope of each kind of entry. The scope of a value is its key; the scope of a page
//! and of a multi-get result is a key prefix. Does not own the rule for using an entry: see `sharded`.

use std::hash::BuildHasher;
#[cfg(not(test))]
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use foldhash::fast::RandomState;
#[cfg(test)]
use interleaving::{AtomicU64, Ordering};
use storage::{Scan, ScanPage, Shard, Space, StorageKey, StorageValue};

use super::key_prefix::KeyPrefix;
use super::multi_get::{self, MultiGetKey, MultiGetLookup, Values};
use super::page::{self, PageKey, PageLookup};
use super::sharded::{EntryHash, ShardedCache, VisibleBatch};

// More shards mean less contention and fewer needless refusals (see `CacheShard::written_by`), but each must be large
// enough for several entries: with the default memory, 20 KiB for values, 32 KiB for pages and 128 KiB for results.
const VALUE_SHARDS: usize = 1024;
const PAGE_SHARDS: usize = 128;
const MULTI_GET_SHARDS: usize = 64;
/// One byte in this many is for pages, or for multi-get results; the rest is for values.
const PAGES_SHARE: u64 = 8;
const MULTI_GETS_SHARE: u64 = 4;
/// Approximate memory of a cached value besides its key and bytes.
const VALUE_OVERHEAD_BYTES: usize = 128;

/// Values by key, multi-get results by keys, and pages by scan.
pub(crate) struct ReadCache {
    values: ShardedCache<ValueKey, StorageValue>,
    multi_gets: ShardedCache<MultiGetKey, Values>,
    pages: ShardedCache<PageKey, ScanPage>,
    /// Seeded at random, so that nobody can choose keys that all fall into one shard.
    hasher: RandomState,
    /// The last batch that every new view contains.
    published: AtomicU64,
}

/// A tree key, hashed once for lookup and insertion.
pub(crate) struct ValueLookup<'key> {
    hash: u64,
    space: u8,
    tree_key: &'key [u8],
}

/// The key under which a value is stored.
struct ValueKey {
    space: u8,
    tree_key: Bytes,
}

/// Invalidates the entries that one batch is about to change.
pub(crate) struct BatchInvalidation<'cache> {
    cache: &'cache ReadCache,
    batch: u64,
    /// The prefix scope that was invalidated last: a batch is sorted, so neighbours often share theirs.
    last_scope: Option<u64>,
}

impl ReadCache {
    /// An empty cache.
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self::with_shards(bytes_max, [VALUE_SHARDS, PAGE_SHARDS, MULTI_GET_SHARDS])
    }

    /// An empty cache with this many shards for values, pages and multi-get results.
    pub(super) fn with_shards(
        bytes_max: u64,
        [value_shards, page_shards, multi_get_shards]: [usize; 3],
    ) -> Self {
        let page_bytes = bytes_max / PAGES_SHARE;
        let multi_get_bytes = bytes_max / MULTI_GETS_SHARE;
        Self {
            values: ShardedCache::new(bytes_max - page_bytes - multi_get_bytes, value_shards),
            multi_gets: ShardedCache::new(multi_get_bytes, multi_get_shards),
            pages: ShardedCache::new(page_bytes, page_shards),
            hasher: RandomState::default(),
            published: AtomicU64::new(0),
        }
    }

    /// The last published batch. A view must read it before it takes its snapshot of the tree: then the snapshot
    /// contains that batch. The other way round, a batch published in between would count as seen.
    pub(crate) fn visible_batch(&self) -> VisibleBatch {
        VisibleBatch(self.published.load(Ordering::Acquire))
    }

    /// The key of a cached value.
    pub(crate) fn value_lookup<'key>(
        &self,
        space: Space,
        tree_key: &'key [u8],
    ) -> ValueLookup<'key> {
        let hash = self.hasher.hash_one((space.number, tree_key));
        ValueLookup { hash, space: space.number, tree_key }
    }

    /// The value of a tree key in a view, if it is cached.
    pub(crate) fn get_value(
        &self,
        view: VisibleBatch,
        lookup: &ValueLookup<'_>,
    ) -> Option<StorageValue> {
        self.values.get(view, lookup.entry_hash(), |key| lookup.matches(key))
    }

    /// Inserts a value that a view has read after a miss.
    pub(crate) fn insert_value(
        &self,
        view: VisibleBatch,
        lookup: &ValueLookup<'_>,
        value: &StorageValue,
    ) {
        let bytes = VALUE_OVERHEAD_BYTES + lookup.tree_key.len() + value.len();
        self.values.insert(
            view,
            lookup.entry_hash(),
            bytes,
            |key| lookup.matches(key),
            || {
                // A copy, because the value itself may keep a whole block of the tree in memory. Key and value share an
                // allocation: a hit compares the one and returns the other.
                let mut copy = Bytes::from_owner([lookup.tree_key, value].concat());
                let tree_key = copy.split_to(lookup.tree_key.len());
                (ValueKey { space: lookup.space, tree_key }, copy)
            },
        );
    }

    /// The key of a multi-get result; `None` if the result of these keys is never cached.
    pub(crate) fn multi_get_lookup<'keys>(
        &self,
        shard: Shard,
        space: Space,
        keys: &'keys [StorageKey],
    ) -> Option<MultiGetLookup<'keys>> {
        MultiGetLookup::new(&self.hasher, shard, space, keys)
    }

    /// The values of several keys in a view, if they are cached as one entry.
    pub(crate) fn get_values(
        &self,
        view: VisibleBatch,
        lookup: &MultiGetLookup<'_>,
    ) -> Option<Values> {
        self.multi_gets.get(view, lookup.hash(), |key| lookup.matches(key))
    }

    /// Inserts the result of a multi-get that a view has read after a miss.
    pub(crate) fn insert_values(
        &self,
        view: VisibleBatch,
        lookup: &MultiGetLookup<'_>,
        values: &Values,
    ) {
        let bytes = lookup.cached_bytes(values);
        let matches = |key: &MultiGetKey| lookup.matches(key);
        let make = || (lookup.to_key(), multi_get::compact(values));
        self.multi_gets.insert(view, lookup.hash(), bytes, matches, make);
    }

    /// The key of a page; `None` if pages of this scan are never cached.
    pub(crate) fn page_lookup<'scan>(
        &self,
        shard: Shard,
        space: Space,
        scan: &'scan Scan,
    ) -> Option<PageLookup<'scan>> {
        PageLookup::new(&self.hasher, shard, space, scan)
    }

    /// The page of a scan in a view, if it is cached.
    pub(crate) fn get_page(&self, view: VisibleBatch, lookup: &PageLookup<'_>) -> Option<ScanPage> {
        self.pages.get(view, lookup.hash(), |key| lookup.matches(key))
    }

    /// Inserts a page that a view has read after a miss.
    pub(crate) fn insert_page(&self, view: VisibleBatch, lookup: &PageLookup<'_>, page: &ScanPage) {
        let bytes = page::cached_bytes(page);
        let matches = |key: &PageKey| lookup.matches(key);
        let make = || (lookup.to_key(), page::compact(page));
        self.pages.insert(view, lookup.hash(), bytes, matches, make);
    }

    /// Starts the next batch. There is one at a time, because one thread writes.
    pub(crate) fn begin_batch(&self) -> BatchInvalidation<'_> {
        BatchInvalidation { cache: self, batch: self.next_batch(), last_scope: None }
    }

    /// The number of the next batch.
    pub(crate) fn next_batch(&self) -> u64 {
        self.published.load(Ordering::Acquire) + 1
    }

    /// Declares a batch visible: it is committed to the tree, so every snapshot taken from now on contains it.
    pub(crate) fn publish(&self, batch: u64) {
        self.published.store(batch, Ordering::Release);
    }
}

impl ValueLookup<'_> {
    fn entry_hash(&self) -> EntryHash {
        // A value is invalidated alone, so its key is its scope.
        EntryHash { scope: self.hash, key: self.hash }
    }

    fn matches(&self, key: &ValueKey) -> bool {
        self.space == key.space && *self.tree_key == *key.tree_key
    }
}

impl BatchInvalidation<'_> {
    /// Removes the value of a tree key that the batch is about to write, and the pages and multi-get results under its
    /// prefix. Must be called for every key of the batch before it is committed.
    pub(crate) fn invalidate(&mut self, space: Space, tree_key: &[u8]) {
        let cache = self.cache;
        cache.values.invalidate(self.batch, cache.value_lookup(space, tree_key).hash);
        // A key shorter than a prefix lies in no cached page: both bounds of the page's scan start with the prefix, so
        // everything between them does.
        let prefix = KeyPrefix::of_tree_key(space, tree_key);
        let Some(prefix) = prefix else { return };
        let scope = prefix.scope(&cache.hasher);
        // Invalidating a scope twice in one batch would remove nothing new: insertions are refused since the first
        // time.
        if self.last_scope != Some(scope) {
            cache.pages.invalidate(self.batch, scope);
            cache.multi_gets.invalidate(self.batch, scope);
            self.last_scope = Some(scope);
        }
    }
}

#[cfg(test)]
mod tests {
    use storage::{Entry, KeyRange, ScanLimit};

    use super::*;

    const SPACE: Space = Space { name: "space", number: 3, prefix_bytes: 17, buffered: false };
    const OTHER: Space = Space { name: "other", number: 4, prefix_bytes: 17, buffered: false };
    const SHARD: Shard = Shard(9);
    const PREFIX: &[u8] = b"seventeen letters";

    fn value(text: &'static str) -> StorageValue {
        StorageValue::from_static(text.as_bytes())
    }

    fn insert_twice(cache: &ReadCache, view: VisibleBatch, text: &'static str) {
        cache.insert_value(view, &cache.value_lookup(SPACE, b"key"), &value(text));
        cache.insert_value(view, &cache.value_lookup(SPACE, b"key"), &value(text));
    }

    fn write(cache: &ReadCache, key: &[u8]) {
        cache.begin_batch().invalidate(SPACE, key);
        cache.publish(cache.next_batch());
    }

    fn scan(prefix: &[u8]) -> Scan {
        Scan::forward(KeyRange::prefix(prefix), ScanLimit::entries(20))
    }

    fn page() -> ScanPage {
        let key = |text: &str| StorageKey::from([PREFIX, text.as_bytes()].concat());
        let entries = vec![
            Entry { key: key("one"), value: value("1") },
            Entry { key: key("other"), value: StorageValue::new() },
        ];
        ScanPage { entries, more: true }
    }

    /// The second insertion stores the page; the first is only remembered.
    fn insert_page_twice(cache: &ReadCache, view: VisibleBatch, scan: &Scan) {
        let lookup = cache.page_lookup(SHARD, SPACE, scan).unwrap();
        cache.insert_page(view, &lookup, &page());
        cache.insert_page(view, &lookup, &page());
    }

    fn cached(cache: &ReadCache, scan: &Scan) -> Option<ScanPage> {
        cache.get_page(cache.visible_batch(), &cache.page_lookup(SHARD, SPACE, scan)?)
    }

    fn tree_key(shard: Shard, key: &[u8]) -> Vec<u8> {
        [&shard.0.to_be_bytes(), key].concat()
    }

    #[test]
    fn a_value_is_cached_when_it_is_requested_again() {
        let cache = ReadCache::new(1 << 20);
        let view = cache.visible_batch();
        cache.insert_value(view, &cache.value_lookup(SPACE, b"key"), &value("a"));
        assert_eq!(cache.get_value(view, &cache.value_lookup(SPACE, b"key")), None);
        cache.insert_value(view, &cache.value_lookup(SPACE, b"key"), &value("a"));
        assert_eq!(cache.get_value(view, &cache.value_lookup(SPACE, b"key")), Some(value("a")));
        assert_eq!(cache.get_value(view, &cache.value_lookup(OTHER, b"key")), None);
        assert_eq!(cache.get_value(view, &cache.value_lookup(SPACE, b"ke")), None);
    }

    #[test]
    fn a_write_invalidates_the_value_before_the_batch_is_visible() {
        let cache = ReadCache::new(1 << 20);
        let view = cache.visible_batch();
        insert_twice(&cache, view, "a");
        cache.begin_batch().invalidate(SPACE, b"key");
        assert_eq!(cache.get_value(view, &cache.value_lookup(SPACE, b"key")), None);
    }

    #[test]
    fn an_old_view_neither_inserts_nor_gets_a_younger_value() {
        let cache = ReadCache::new(1 << 20);
        let old = cache.visible_batch();
        let batch = cache.next_batch();
        cache.begin_batch().invalidate(SPACE, b"key");
        // The batch is committed but not published: a view taken now may or may not contain it.
        let during = cache.visible_batch();
        insert_twice(&cache, during, "a");
        cache.publish(batch);
        insert_twice(&cache, old, "a");
        assert_eq!(
            cache.get_value(cache.visible_batch(), &cache.value_lookup(SPACE, b"key")),
            None
        );
        let new = cache.visible_batch();
        insert_twice(&cache, new, "b");
        assert_eq!(cache.get_value(new, &cache.value_lookup(SPACE, b"key")), Some(value("b")));
        assert_eq!(cache.get_value(old, &cache.value_lookup(SPACE, b"key")), None);
        assert_eq!(cache.get_value(during, &cache.value_lookup(SPACE, b"key")), None);
    }

    #[test]
    fn writes_to_other_keys_keep_a_value_for_the_views_that_had_it() {
        let cache = ReadCache::new(1 << 20);
        let view = cache.visible_batch();
        insert_twice(&cache, view, "a");
        let mut batch = cache.begin_batch();
        for number in 0..100_000_u32 {
            batch.invalidate(SPACE, &number.to_be_bytes());
        }
        assert_eq!(cache.get_value(view, &cache.value_lookup(SPACE, b"key")), Some(value("a")));
        cache.publish(cache.next_batch());
        assert_eq!(
            cache.get_value(cache.visible_batch(), &cache.value_lookup(SPACE, b"key")),
            Some(value("a"))
        );
        write(&cache, b"key");
        assert_eq!(
            cache.get_value(cache.visible_batch(), &cache.value_lookup(SPACE, b"key")),
            None
        );
    }

    #[test]
    fn a_page_is_cached_until_its_prefix_is_written() {
        let cache = ReadCache::new(1 << 24);
        let (wanted, longer) = (scan(PREFIX), scan(&[PREFIX, b"o".as_slice()].concat()));
        let lookup = cache.page_lookup(SHARD, SPACE, &longer).unwrap();
        cache.insert_page(cache.visible_batch(), &lookup, &page());
        assert_eq!(cached(&cache, &longer), None, "requested once");
        cache.insert_page(cache.visible_batch(), &lookup, &page());
        assert_eq!(cached(&cache, &longer), Some(page()));
        let mut fewer = longer.clone();
        fewer.limit.entries_max = 19;
        let backward = Scan::backward(longer.range.clone(), longer.limit);
        for other in [&fewer, &backward] {
            assert_eq!(cached(&cache, other), None, "{other:?}");
        }
        assert!(
            cache.page_lookup(SHARD, SPACE, &wanted).is_none(),
            "its upper bound lies under the next prefix"
        );
        let beside = [b"sixteen letters..".as_slice(), b"o"].concat();
        write(&cache, &tree_key(SHARD, &beside));
        write(&cache, &tree_key(Shard(8), &[PREFIX, b"on"].concat()));
        write(&cache, b"short");
        assert_eq!(cached(&cache, &longer), Some(page()));
        write(&cache, &tree_key(SHARD, &[PREFIX, b"x"].concat()));
        assert_eq!(cached(&cache, &longer), None, "a neighbour was written");
        insert_page_twice(&cache, cache.visible_batch(), &longer);
        assert_eq!(cached(&cache, &longer), Some(page()));
    }

    #[test]
    fn a_multi_get_result_is_cached_until_its_prefix_is_written() {
        let cache = ReadCache::new(1 << 24);
        let key = |number: u8| StorageKey::from([PREFIX, &[number]].concat());
        let keys: Vec<StorageKey> = (0..5).map(key).collect();
        let mut values: Values = (0..5).map(|number| Some(vec![number; 9].into())).collect();
        values[3] = None;
        let cached = |keys: &[StorageKey]| {
            cache.get_values(
                cache.visible_batch(),
                &cache.multi_get_lookup(SHARD, SPACE, keys).unwrap(),
            )
        };
        let insert = || {
            let lookup = cache.multi_get_lookup(SHARD, SPACE, &keys).unwrap();
            cache.insert_values(cache.visible_batch(), &lookup, &values);
        };
        insert();
        assert_eq!(cached(&keys), None, "requested once");
        insert();
        assert_eq!(cached(&keys), Some(values.clone()));
        let others: Vec<StorageKey> = (1..6).map(key).collect();
        assert_eq!(cached(&others), None);
        assert_eq!(cached(&keys[..4]), None);
        write(&cache, &tree_key(Shard(8), &key(0)));
        write(&cache, &tree_key(SHARD, b"elsewhere, with a long name"));
        assert_eq!(cached(&keys), Some(values.clone()));
        write(&cache, &tree_key(SHARD, &key(99)));
        assert_eq!(cached(&keys), None, "a neighbour was written");
        assert!(cache.multi_get_lookup(SHARD, SPACE, &keys[..3]).is_none(), "too few keys");
        let far = [keys.as_slice(), &[StorageKey::from_static(b"under another prefix altogether")]];
        assert!(cache.multi_get_lookup(SHARD, SPACE, &far.concat()).is_none());
    }

    #[test]
    fn one_batch_invalidates_every_prefix_it_writes_to() {
        let cache = ReadCache::new(1 << 24);
        let prefixes = [b'a', b'b', b'c'].map(|letter| [letter; 17]);
        let scans = prefixes.each_ref().map(|key| scan(&[key.as_slice(), b"."].concat()));
        scans.iter().for_each(|scan| insert_page_twice(&cache, cache.visible_batch(), scan));
        assert!(scans.iter().all(|scan| cached(&cache, scan).is_some()));
        let mut batch = cache.begin_batch();
        for key in prefixes.iter().take(2).flat_map(|key| [key, key]) {
            batch.invalidate(SPACE, &tree_key(SHARD, key));
        }
        let cached = scans.each_ref().map(|scan| cached(&cache, scan).is_some());
        assert_eq!(cached, [false, false, true]);
    }

    #[test]
    fn long_pages_and_wide_scans_are_not_cached() {
        let cache = ReadCache::new(1 << 24);
        let mut long = scan(&[PREFIX, b"o".as_slice()].concat());
        long.limit.entries_max = 1_000;
        assert!(cache.page_lookup(SHARD, SPACE, &long).is_none());
        for range in [KeyRange::all(), KeyRange::prefix(b"s")] {
            let wide = Scan::forward(range, ScanLimit::entries(20));
            assert!(cache.page_lookup(SHARD, SPACE, &wide).is_none(), "{wide:?}");
        }
        let large = scan(&[PREFIX, b"l".as_slice()].concat());
        let lookup = cache.page_lookup(SHARD, SPACE, &large).unwrap();
        let entry = Entry { key: StorageKey::new(), value: StorageValue::from(vec![1; 4096]) };
        let page = ScanPage { entries: vec![entry; 20], more: false };
        cache.insert_page(cache.visible_batch(), &lookup, &page);
        cache.insert_page(cache.visible_batch(), &lookup, &page);
        assert_eq!(cached(&cache, &large), None);
    }

    #[test]
    fn memory_is_bounded() {
        let cache = ReadCache::new(VALUE_SHARDS as u64 * 1024);
        let view = cache.visible_batch();
        let large = StorageValue::from(vec![1; 600]);
        let mut cached = 0;
        for number in 0..20_000_u32 {
            let key = number.to_be_bytes();
            let value = if number % 2 == 0 { value("small") } else { large.clone() };
            cache.insert_value(view, &cache.value_lookup(SPACE, &key), &value);
            cache.insert_value(view, &cache.value_lookup(SPACE, &key), &value);
            let is_cached = cache.get_value(view, &cache.value_lookup(SPACE, &key)).is_some();
            assert_eq!(is_cached, number % 2 == 0, "too large to be cached");
        }
        for number in 0..20_000_u32 {
            cached += usize::from(
                cache.get_value(view, &cache.value_lookup(SPACE, &number.to_be_bytes())).is_some(),
            );
        }
        assert!(
            (VALUE_SHARDS..=VALUE_SHARDS * 1024 / VALUE_OVERHEAD_BYTES).contains(&cached),
            "{cached}"
        );
    }
}
