//! Complete copies.

use std::sync::Arc;

use client::{ErrorKind, PartitionKey, PartitionKeyDefinition, TimeToLive};
use serde_json::{Value, json};
use service::copy::{ContainerCopy, OnExtraItem, StopCondition};
use tokio::sync::watch;

use super::fixture::{Fixture, Set, order};

#[tokio::test]
async fn a_copy_has_the_items_the_properties_and_the_new_key() {
    let fixture = Fixture::with(0).await;
    let mut properties = fixture.from.read_properties().await.unwrap().value;
    properties.default_time_to_live = TimeToLive::NoDefault;
    fixture.from.replace_properties(properties).await.unwrap();
    for number in 0..35 {
        fixture.put(order(number)).await;
    }
    let copied = fixture.copy().await.unwrap();
    assert_eq!((copied.copied, copied.refused.count, copied.is_resumed), (35, 0, false));
    assert!(copied.request_units > 35.0, "{copied:?}");
    let properties = fixture.to.read_properties().await.unwrap().value;
    assert_eq!(properties.partition_key, PartitionKeyDefinition::single("/city").unwrap());
    assert_eq!(properties.default_time_to_live, TimeToLive::NoDefault);
    assert_eq!(properties.id.as_str(), "orders-v2");
    let key = PartitionKey::from("city1");
    let read = fixture.to.read::<Value>(&key, "o1").await.unwrap().value.value;
    assert_eq!((&read["customer"], &read["total"]), (&json!("c1"), &json!(1)));
}

#[tokio::test]
async fn a_second_run_writes_what_is_new_and_nothing_else() {
    let fixture = Fixture::with(25).await;
    fixture.copy().await.unwrap();
    let (key, before) = (PartitionKey::from("city0"), fixture.faults.requests("upsert"));
    let etag = fixture.to.read::<Value>(&key, "o0").await.unwrap().etag;
    let again = fixture.copy().await.unwrap();
    assert_eq!((again.copied, again.is_resumed), (0, true));
    assert_eq!(fixture.faults.requests("upsert"), before);
    assert_eq!(fixture.to.read::<Value>(&key, "o0").await.unwrap().etag, etag);
    fixture.put(json!({"id": "o1", "customer": "c1", "city": "city1", "total": 777})).await;
    fixture.put(json!({"id": "new", "customer": "c1", "city": "city1"})).await;
    assert_eq!(fixture.copy().await.unwrap().copied, 2);
    let changed = fixture.to.read::<Value>(&PartitionKey::from("city1"), "o1").await.unwrap();
    assert_eq!(changed.value.value["total"], 777);
    let copy = ContainerCopy::prepare(fixture.plan()).await.unwrap();
    let found = copy.verify(OnExtraItem::Report, &|_| {}).await.unwrap();
    assert!(found.is_equal(), "{found:?}");
    assert_eq!((found.source_items, found.target_items), (26, 26));
}

#[tokio::test]
async fn a_transform_gives_the_new_key_its_value() {
    let fixture = Fixture::with(5).await;
    let mut plan = fixture.plan();
    plan.partition_key = Some(PartitionKeyDefinition::hierarchical(&["/region", "/city"]).unwrap());
    plan.transform = Arc::new(Set("region", "eu"));
    assert_eq!(fixture.copy_by(plan).await.unwrap().copied, 5);
    let key = PartitionKey::parse(r#"["eu","city0"]"#).unwrap();
    let read = fixture.to.read::<Value>(&key, "o3").await.unwrap().value.value;
    assert_eq!(read["region"], "eu");
}

#[tokio::test]
async fn an_item_without_a_key_keeps_its_place_under_the_same_key() {
    let fixture = Fixture::with(2).await;
    let nowhere = PartitionKey::parse("[{}]").unwrap();
    fixture.from.create(&nowhere, &json!({"id": "lost"})).await.unwrap();
    let mut plan = fixture.plan();
    plan.partition_key = None;
    assert_eq!(fixture.copy_by(plan).await.unwrap().copied, 3);
    fixture.to.read::<Value>(&nowhere, "lost").await.unwrap();
}

#[tokio::test]
async fn a_copy_that_follows_ends_on_its_signal() {
    let fixture = Fixture::with(3).await;
    let copy = ContainerCopy::prepare(fixture.plan()).await.unwrap();
    let (sender, report) = watch::channel(false);
    let (from, seen) = (fixture.from.clone(), std::sync::atomic::AtomicU64::new(0));
    let writer = std::sync::Mutex::new(None);
    let progress = |progress: service::copy::CopyProgress| {
        seen.store(progress.copied, std::sync::atomic::Ordering::Relaxed);
        if progress.copied == 3 && progress.is_caught_up && writer.lock().unwrap().is_none() {
            let from = from.clone();
            let write = async move {
                let item = json!({"id": "late", "customer": "c1", "city": "city9"});
                from.create(&PartitionKey::from("c1"), &item).await.unwrap();
            };
            *writer.lock().unwrap() = Some(tokio::spawn(write));
        }
        if progress.copied == 4 {
            sender.send(true).unwrap();
        }
    };
    let copied = copy.run(&fixture.kept, StopCondition::Signal(report), &progress).await.unwrap();
    assert_eq!(copied.copied, 4);
    fixture.to.read::<Value>(&PartitionKey::from("city9"), "late").await.unwrap();
    let gone = fixture.to.read::<Value>(&PartitionKey::from("city1"), "late").await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}
