//! The store that is kept: one of everything that has a place on disk, written from a fixed clock and seed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::operation::{
    BatchOperation, DeleteItem, PatchItem, ReplaceContainer, SplitPartition, TransactionalBatch,
    UpsertItem,
};
use engine::response::BatchResult;
use engine::{ContainerLink, Engine, Environment, TravellingClock};
use model::{ContainerProperties, ItemId, Json, PartitionKey, Patch, TimestampMs};

use crate::account::{create_container, create_database, open_quiet};

/// When the sample was begun, and when it is looked at.
const BEGUN: TimestampMs = TimestampMs(1_800_000_000_000);

const ORDERS: &str = r#"{
    "id": "orders",
    "partitionKey": {"paths": ["/tenantId", "/userId"], "kind": "MultiHash", "version": 2},
    "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/number"]}]},
    "defaultTtl": 86400,
    "indexingPolicy": {
        "indexingMode": "consistent",
        "includedPaths": [{"path": "/*"}],
        "excludedPaths": [{"path": "/note/?"}],
        "compositeIndexes": [[{"path": "/total", "order": "descending"}, {"path": "/number", "order": "ascending"}]]
    }
}"#;

const EVENTS: &str = r#"{
    "id": "events",
    "partitionKey": {"paths": ["/device"], "kind": "Hash", "version": 2}
}"#;

pub(crate) fn link(container: &str) -> ContainerLink {
    ContainerLink::new("sample", container).unwrap()
}

/// Opens a sample at the moment it was finished, so that nothing has expired since.
pub(crate) async fn open(folder: &Path) -> engine::Result<(Engine, Arc<TravellingClock>)> {
    let clock = TravellingClock::starting_at(BEGUN);
    clock.travel(Duration::from_secs(60));
    let environment = Environment::simulated(Arc::clone(&clock), 1);
    Ok((open_quiet(folder, environment).await?, clock))
}

/// Writes the sample into an empty folder.
pub(crate) async fn write(folder: &Path) {
    let clock = TravellingClock::starting_at(BEGUN);
    let environment = Environment::simulated(Arc::clone(&clock), 1);
    let engine = open_quiet(folder, environment).await.unwrap();
    for properties in [ORDERS, EVENTS] {
        let properties = ContainerProperties::from_json(&json(properties)).unwrap();
        let link = link(properties.id.as_str());
        create_database(&engine, &link).await;
        create_container(&engine, &link, properties).await;
    }
    write_orders(&engine, &clock).await;
    write_events(&engine, &clock).await;
    engine.close().await.unwrap();
}

/// Writes what lies in the journal alone, as after a crash: the store is not closed.
pub(crate) async fn write_to_journal(folder: &Path) {
    let (engine, _) = open(folder).await.unwrap();
    upsert(&engine, "events", r#"{"id":"last","device":"d1","kind":"after the flush"}"#).await;
}

async fn write_orders(engine: &Engine, clock: &TravellingClock) {
    for number in 0..8 {
        let (tenant, user) = (number % 3, number % 2);
        let total = number * 100;
        let text = format!(
            r#"{{"id":"o{number}","tenantId":"t{tenant}","userId":"u{user}","number":{number},
                "total":{total},"note":"ü{number}"}}"#
        );
        upsert(engine, "orders", &text).await;
        clock.travel(Duration::from_secs(1));
    }
    let short = r#"{"id":"short","tenantId":"t0","userId":"u0","number":-1,"ttl":300}"#;
    upsert(engine, "orders", short).await;
    let never = r#"{"id":"never","tenantId":"t0","userId":"u0","number":-2,"ttl":-1,
        "deep":{"list":[1,{"a":null},"x"],"big":9007199254740993,"half":0.5,"yes":true}}"#;
    upsert(engine, "orders", never).await;
    delete(engine, "orders", key(&["t1", "u1"]), "o1").await;
    patch(engine).await;
    batch(engine).await;
    split(engine, "orders", 0).await;
    // Written after the split, into one of its halves.
    let late = r#"{"id":"late","tenantId":"t2","userId":"u1","number":77}"#;
    upsert(engine, "orders", late).await;
}

/// A policy that was replaced, and an index that does not follow it yet.
async fn write_events(engine: &Engine, clock: &TravellingClock) {
    for number in 0..8 {
        let device = number % 5;
        let text = format!(
            r#"{{"id":"e{number}","device":"d{device}","value":{number}.25,"kind":"reading"}}"#
        );
        upsert(engine, "events", &text).await;
    }
    clock.travel(Duration::from_secs(1));
    for number in [3, 4] {
        let text = format!(r#"{{"id":"e{number}","device":"d{number}","kind":"replaced"}}"#);
        upsert(engine, "events", &text).await;
    }
    delete(engine, "events", key(&["d2"]), "e2").await;
    let mut properties = ContainerProperties::from_json(&json(EVENTS)).unwrap();
    properties.indexing_policy = model::IndexingPolicy::from_json(&json(
        r#"{"indexingMode":"consistent","includedPaths":[{"path":"/kind/?"}],"excludedPaths":[{"path":"/*"}]}"#,
    ))
    .unwrap();
    let replace = ReplaceContainer { link: link("events"), properties, precondition: None };
    engine.replace_container(replace).await.unwrap();
    upsert(engine, "events", r#"{"id":"e8","device":"d0","kind":"newer policy"}"#).await;
}

async fn upsert(engine: &Engine, container: &str, text: &str) {
    let (container, options) = (link(container), Default::default());
    let upsert = UpsertItem { container, partition_key: None, item: json(text).into(), options };
    engine.upsert_item(upsert).await.unwrap();
}

async fn delete(engine: &Engine, container: &str, partition_key: PartitionKey, id: &str) {
    let (container, options) = (link(container), Default::default());
    let id = ItemId::new(id).unwrap();
    let delete = DeleteItem { container, partition_key, id, options };
    engine.delete_item(delete).await.unwrap();
}

async fn patch(engine: &Engine) {
    let patch = r#"{"operations":[{"op":"incr","path":"/total","value":5},{"op":"add","path":"/paid","value":true}]}"#;
    let patch = PatchItem {
        container: link("orders"),
        partition_key: key(&["t0", "u0"]),
        id: ItemId::new("o0").unwrap(),
        patch: Patch::from_json(&json(patch)).unwrap(),
        options: Default::default(),
    };
    engine.patch_item(patch).await.unwrap();
}

async fn batch(engine: &Engine) {
    let create = |number: u32| {
        let text = format!(
            r#"{{"id":"b{number}","tenantId":"t0","userId":"u0","number":{},"batch":true}}"#,
            1000 + number
        );
        BatchOperation::Create { item: json(&text).into(), options: Default::default() }
    };
    let delete =
        BatchOperation::Delete { id: ItemId::new("o6").unwrap(), options: Default::default() };
    let batch = TransactionalBatch {
        container: link("orders"),
        partition_key: key(&["t0", "u0"]),
        operations: vec![create(1), create(2), delete],
    };
    let outcome = engine.transactional_batch(batch).await.unwrap().value;
    assert!(matches!(outcome, BatchResult::Committed(_)), "{outcome:?}");
}

async fn split(engine: &Engine, container: &str, partition: u32) {
    let split = SplitPartition { container: link(container), partition, at: None };
    engine.split_partition(split).await.unwrap();
}

fn key(components: &[&str]) -> PartitionKey {
    PartitionKey::from_values(components.iter().map(|component| (*component).into()))
}

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}
