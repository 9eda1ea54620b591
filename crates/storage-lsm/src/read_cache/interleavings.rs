//! The read cache in many orders of the steps of its readers and its writer.
//!
//! The tree is a number: the last batch that wrote to the key. A view may hold it only as that view would have read it.

use std::sync::Arc;

use interleaving::{AtomicU64, Ordering, explore, spawn};
use storage::{Entry, KeyRange, Scan, ScanLimit, ScanPage, Shard, Space, StorageKey, StorageValue};

use super::cache::ReadCache;
use super::sharded::VisibleBatch;

const SPACE: Space = Space { name: "space", number: 3, prefix_bytes: 4, buffered: false };
const SHARD: Shard = Shard(9);
const KEY: &[u8] = b"prefix";
const BATCHES: u64 = 3;
const ORDERS: usize = 3_000;

/// The cache, and what the tree holds under the key.
struct CachedKey {
    cache: ReadCache,
    tree: AtomicU64,
}

fn number(value: &[u8]) -> u64 {
    value.try_into().map_or(u64::MAX, u64::from_be_bytes)
}

fn value(number: u64) -> StorageValue {
    StorageValue::copy_from_slice(&number.to_be_bytes())
}

fn tree_key() -> Vec<u8> {
    [SHARD.0.to_be_bytes().as_slice(), KEY].concat()
}

impl CachedKey {
    fn new() -> Arc<Self> {
        let cache = ReadCache::with_shards(1 << 16, [1, 1, 1]);
        Arc::new(Self { cache, tree: AtomicU64::new(0) })
    }

    /// The steps of the committer, in its order.
    fn write(&self) {
        for batch in 1..=BATCHES {
            self.cache.begin_batch().invalidate(SPACE, &tree_key());
            self.tree.store(batch, Ordering::SeqCst);
            self.cache.publish(self.cache.next_batch());
            let found = self.get(self.cache.visible_batch());
            assert!(found.is_none_or(|found| found == batch), "batch {batch} reads {found:?}");
        }
    }

    fn get(&self, view: VisibleBatch) -> Option<u64> {
        let tree_key = tree_key();
        let found = self.cache.get_value(view, &self.cache.value_lookup(SPACE, &tree_key));
        found.map(|value| number(&value))
    }

    /// The steps of a reader of one value, in its order.
    fn read_value(&self) {
        let view = self.cache.visible_batch();
        let snapshot = self.tree.load(Ordering::SeqCst);
        match self.get(view) {
            Some(found) => assert_eq!(found, view.0, "a cached value of another view"),
            None => {
                let tree_key = tree_key();
                let lookup = self.cache.value_lookup(SPACE, &tree_key);
                self.cache.insert_value(view, &lookup, &value(snapshot));
            }
        }
    }

    /// The steps of a reader of a page, which a write to any key of the prefix invalidates.
    fn read_page(&self) {
        let range = KeyRange::prefix(KEY);
        let scan = Scan::forward(range, ScanLimit::entries(5));
        let view = self.cache.visible_batch();
        let snapshot = self.tree.load(Ordering::SeqCst);
        let lookup = self.cache.page_lookup(SHARD, SPACE, &scan).unwrap();
        match self.cache.get_page(view, &lookup) {
            Some(page) => {
                let found = page.entries.first().map(|entry| number(&entry.value));
                assert_eq!(found, Some(view.0), "a cached page of another view");
            }
            None => {
                let entry = Entry { key: StorageKey::from_static(KEY), value: value(snapshot) };
                let page = ScanPage { entries: vec![entry], more: false };
                self.cache.insert_page(view, &lookup, &page);
            }
        }
    }
}

fn explore_with(read: fn(&CachedKey)) {
    explore(ORDERS, move || {
        let store = CachedKey::new();
        let readers = [(); 2].map(|()| {
            let store = Arc::clone(&store);
            // The first request of a key is only remembered, so a hit needs three.
            spawn(move || (0..4).for_each(|_| read(&store)))
        });
        store.write();
        for reader in readers {
            reader();
        }
    });
}

#[test]
fn in_every_order_a_view_gets_its_own_value() {
    explore_with(CachedKey::read_value);
}

#[test]
fn in_every_order_a_view_gets_its_own_page() {
    explore_with(CachedKey::read_page);
}
