//! What a read over the terms touches: as many entries as it returns, however many items there are.

use std::collections::HashSet;

use model::{
    IncludedPath, IndexPath, IndexPathSegment, IndexingPolicy, Json, PartitionKey,
    PartitionKeyDefinition,
};
use storage::memory::MemoryStore;
use storage::{KeyRange, Read, Scan, ScanLimit, Shard, Store, WriteSet};

use crate::index::{CompiledPolicy, path_text, terms_of};
use crate::key_layout::{
    ItemKey, LogicalPartition, SPACES, TERMS, global_term_range, local_term_range, owner_of_entry,
};
use crate::ordered_bytes::push_value;

const SHARD: Shard = Shard(1);
const PAGE: usize = 20;

fn logical_partition(name: &str) -> LogicalPartition {
    let key = PartitionKey::from(name);
    let epk = PartitionKeyDefinition::single("/pk").unwrap().effective(&key);
    LogicalPartition::new(&epk, &key)
}

fn path(name: &str) -> Vec<u8> {
    path_text(&[IndexPathSegment::Property(name.to_owned())])
}

/// Ten logical partitions; the price falls while the number grows, and seven items are rare.
async fn filled(items: u64) -> MemoryStore {
    let included =
        ["/price/?", "/tag/?"].map(|path| IncludedPath::new(IndexPath::parse(path).unwrap()));
    let policy = IndexingPolicy {
        included: included.to_vec(),
        excluded: vec![IndexPath::root()],
        ..IndexingPolicy::default()
    };
    let policy = CompiledPolicy::new(&policy);
    let store = MemoryStore::new();
    let mut set = WriteSet::new();
    for number in 0..items {
        let price = items - number;
        let tag = if number % (items / 7) == 3 { "rare" } else { "common" };
        let text = format!(r#"{{"id":"i{number}","price":{price},"tag":"{tag}"}}"#);
        let item = Json::parse(text.as_bytes()).unwrap();
        let key = logical_partition(&format!("p{}", number % 10)).item(&format!("i{number}"));
        for (key, value) in terms_of(&policy, &key, number + 1, &item).entries {
            set.put(TERMS, key, value);
        }
        if set.writes.len() > 10_000 {
            store.commit(SHARD, vec![std::mem::take(&mut set)]).await.unwrap();
        }
    }
    store.commit(SHARD, vec![set]).await.unwrap();
    store
}

async fn scan(store: &MemoryStore, range: KeyRange, entries: usize) -> Vec<ItemKey> {
    let scan = Scan::forward(range, ScanLimit::entries(entries));
    let page = store.scan(SHARD, TERMS, &scan).await.unwrap();
    let owner =
        |entry: &storage::Entry| owner_of_entry(TERMS, &entry.key, &entry.value, 1).unwrap();
    page.entries.iter().map(owner).collect()
}

#[tokio::test]
async fn a_page_touches_no_more_than_its_entries_at_1000_and_at_50000_items() {
    for items in [1000, 50_000] {
        let store = filled(items).await;
        let partition = logical_partition("p3");
        let ordered = scan(&store, local_term_range(&partition, &path("price")), PAGE).await;
        let expected: Vec<_> = (0..items)
            .rev()
            .filter(|number| number % 10 == 3)
            .take(PAGE)
            .map(|number| format!("i{number}"))
            .collect();
        let found: Vec<_> = ordered.iter().map(ItemKey::id).collect();
        assert_eq!(found, expected, "the cheapest first");
        assert!(ordered.iter().all(|key| key.partition() == partition));

        let mut value = Vec::new();
        push_value(&mut value, Some(&Json::from("rare")));
        let rare = scan(&store, global_term_range(&path("tag"), &value), usize::MAX).await;
        assert_eq!(rare.len(), if items % 7 > 3 { 8 } else { 7 }, "{items}");
        let numbers = rare.iter().map(|key| key.id()[1..].parse::<u64>().unwrap());
        assert!(numbers.into_iter().all(|number| number % (items / 7) == 3));
    }
}

#[test]
fn the_declared_key_prefix_tells_logical_partitions_apart() {
    let policy = CompiledPolicy::new(&IndexingPolicy::default());
    let prefixes = |partition: &str| {
        let partition = logical_partition(partition);
        let item = Json::parse(br#"{"id":"1","a":1,"b":{"c":[true]}}"#).unwrap();
        let terms = terms_of(&policy, &partition.item("1"), 1, &item);
        let prefix_bytes = TERMS.prefix_bytes;
        let local = move |key: &[u8]| {
            // The first byte is the kind; the logical partition follows in local terms only.
            let is_local = key[1..].starts_with(partition.as_bytes());
            is_local.then(|| key[1..prefix_bytes].to_vec())
        };
        let prefixes: HashSet<_> = terms.entries.iter().filter_map(|(key, _)| local(key)).collect();
        assert_eq!(prefixes.len(), 1, "all local terms share the prefix after their kind");
        prefixes
    };
    assert!(SPACES.iter().all(|space| space.prefix_bytes == TERMS.prefix_bytes));
    assert_ne!(prefixes("p1"), prefixes("p2"), "it reaches into the logical partition");
}
