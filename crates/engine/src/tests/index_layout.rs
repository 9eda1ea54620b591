//! The cost of a read depends on its page, not on the size of the container.

use model::{
    ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, IndexPath, Json,
    PartitionKey, PartitionKeyDefinition,
};
use storage::{Scan, ScanLimit};

use crate::index::path_text;
use crate::key_layout::{LogicalPartition, TERMS, global_term_range, local_term_range};
use crate::operation::{ContainerLink, CreateContainer, CreateDatabase, UpsertItem};
use crate::ordered_bytes::push_value;
use crate::{Engine, EngineSettings, Environment, TravellingClock};

const PAGE: usize = 20;

/// An engine with a container of `items` items in 50 logical partitions; ten of the items have `rare: true`.
async fn engine_with_items(items: i64) -> (Engine, ContainerLink) {
    let clock = TravellingClock::starting_at(model::TimestampMs(1_800_000_000_000));
    let settings = EngineSettings { maintenance: false, ..EngineSettings::default() };
    let store = std::sync::Arc::new(storage::memory::MemoryStore::new());
    let engine = Engine::open(store, Environment::simulated(clock, 1), settings).await.unwrap();
    let database = DatabaseId::new("d").unwrap();
    let properties = DatabaseProperties { id: database.clone() };
    engine.create_database(CreateDatabase { properties, throughput: None }).await.unwrap();
    let key = PartitionKeyDefinition::single("/pk").unwrap();
    let properties = ContainerProperties::new(ContainerId::new("c").unwrap(), key);
    let create = CreateContainer { database, properties, throughput: None };
    engine.create_container(create).await.unwrap();
    let link = ContainerLink::new("d", "c").unwrap();
    for number in 0..items {
        let (key, mixed) = (number % 50, number * 7919 % items);
        let rare = number % (items / 10) == 0;
        let text = format!(r#"{{"id":"{number}","pk":"p{key}","n":{mixed},"rare":{rare}}}"#);
        let item = Json::parse(text.as_bytes()).unwrap();
        let options = Default::default();
        let upsert =
            UpsertItem { container: link.clone(), partition_key: None, item: item.into(), options };
        engine.upsert_item(upsert).await.unwrap();
    }
    (engine, link)
}

fn path(text: &str) -> Vec<u8> {
    path_text(IndexPath::parse(text).unwrap().segments())
}

/// Reads one page of a logical partition in the order of `/n`; returns the number of entries read and the ids.
async fn ordered_page(engine: &Engine, link: &ContainerLink, key: &str) -> (usize, Vec<String>) {
    let container = engine.container(link).unwrap();
    let key = PartitionKey::from(key);
    let epk = container.identity.definition.effective(&key);
    let range = local_term_range(&LogicalPartition::new(&epk, &key), &path("/n/?"));
    let shard = container.map().locate(&epk).unwrap().identity.shard;
    let scan = Scan::forward(range, ScanLimit::entries(PAGE));
    let page = engine.store().scan(shard, TERMS, &scan).await.unwrap();
    let id = |entry: &storage::Entry| String::from_utf8(entry.value.to_vec()).unwrap();
    (page.entries.len(), page.entries.iter().map(id).collect())
}

#[tokio::test]
async fn one_logical_partition_in_the_order_of_a_property_costs_its_page() {
    for items in [1_000, 8_000] {
        let (engine, link) = engine_with_items(items).await;
        let (entries, ids) = ordered_page(&engine, &link, "p7").await;
        assert_eq!(entries, PAGE);
        let mut expected: Vec<(i64, i64)> = (0..items)
            .filter(|number| number % 50 == 7)
            .map(|number| (number * 7919 % items, number))
            .collect();
        expected.sort_unstable();
        let expected: Vec<String> =
            expected.iter().take(PAGE).map(|(_, number)| number.to_string()).collect();
        assert_eq!(ids, expected, "{items}");
    }
}

#[tokio::test]
async fn one_equality_over_all_logical_partitions_costs_its_matches() {
    for items in [1_000, 8_000] {
        let (engine, link) = engine_with_items(items).await;
        let mut value = Vec::new();
        push_value(&mut value, Some(&Json::Bool(true)));
        let range = global_term_range(&path("/rare/?"), &value);
        let shard = engine.container(&link).unwrap().map().partitions[0].identity.shard;
        let scan = Scan::forward(range, ScanLimit::entries(1000));
        let page = engine.store().scan(shard, TERMS, &scan).await.unwrap();
        assert_eq!((page.entries.len(), page.more), (10, false), "{items}");
    }
}
