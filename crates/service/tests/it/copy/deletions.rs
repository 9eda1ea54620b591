//! Deletions in a source that keeps all versions, as containers of ours do unless they are told otherwise.

use client::{PartitionKey, PartitionKeyDefinition};
use serde_json::json;
use service::copy::{Copy, CopyError, OnExtra, Plan};

use super::ground::{Ground, Set, order};

async fn delete(ground: &Ground, number: usize) {
    let key = PartitionKey::from(format!("c{}", number % 10).as_str());
    ground.from.delete(&key, &format!("o{number}"), None).await.unwrap();
}

async fn verify(ground: &Ground, plan: Plan, items: u64) {
    let copy = Copy::prepare(plan).await.unwrap();
    let found = copy.verify(OnExtra::Tell, &|_| {}).await.unwrap();
    assert!(found.is_equal() && found.source_items == items, "{found:?} {:?}", ground.kept.last);
}

#[tokio::test]
async fn what_is_deleted_after_it_was_copied_is_deleted_there_too() {
    let ground = Ground::with(30).await;
    let first = ground.copy().await.unwrap();
    assert!(first.hears_deletions && first.copied == 30 && first.deleted == 0, "{first:?}");
    delete(&ground, 4).await;
    delete(&ground, 5).await;
    // It comes back, so it stays.
    ground.put(order(5)).await;
    // An item whose new key changes leaves its old place.
    ground.put(json!({"id": "o6", "customer": "c6", "city": "moved"})).await;
    let second = ground.copy().await.unwrap();
    assert_eq!((second.copied, second.deleted, second.unplaced), (2, 2, 0), "{second:?}");
    verify(&ground, ground.plan(), 29).await;
    let third = ground.copy().await.unwrap();
    assert_eq!((third.copied, third.deleted), (0, 0));
}

#[tokio::test]
async fn what_is_deleted_while_the_copy_runs_is_not_left_behind() {
    let ground = Ground::with(60).await;
    // It stops after each page; between them the source goes on.
    for round in 0..5 {
        *ground.kept.room.lock().unwrap() = Some(1);
        let stopped = ground.copy().await.unwrap_err();
        assert!(matches!(stopped, CopyError::Checkpoint(_)), "{stopped}");
        delete(&ground, round * 7).await;
        delete(&ground, round * 7 + 1).await;
        ground.put(order(round * 7 + 1)).await;
        ground
            .put(json!({"id": format!("o{}", round + 50), "customer": format!("c{round}"),
            "city": format!("new{round}")}))
            .await;
    }
    *ground.kept.room.lock().unwrap() = None;
    ground.copy().await.unwrap();
    verify(&ground, ground.plan(), 55).await;
}

#[tokio::test]
async fn a_transform_is_applied_to_what_was_there() {
    let ground = Ground::with(20).await;
    let plan = || {
        let mut plan = ground.plan();
        plan.partition_key = Some(PartitionKeyDefinition::single("/tenant").unwrap());
        plan.transform = std::sync::Arc::new(Set("tenant", "t1"));
        plan
    };
    ground.copy_by(plan()).await.unwrap();
    delete(&ground, 3).await;
    let copied = ground.copy_by(plan()).await.unwrap();
    assert_eq!((copied.deleted, copied.unplaced), (1, 0));
    verify(&ground, plan(), 19).await;
}

#[tokio::test]
async fn versions_that_are_forgotten_end_no_copy() {
    let ground = Ground::with(40).await;
    ground.keep_versions(1).await;
    *ground.kept.room.lock().unwrap() = Some(2);
    ground.copy().await.unwrap_err();
    *ground.kept.room.lock().unwrap() = None;
    delete(&ground, 3).await;
    let position = ground.kept.last.lock().unwrap().clone().unwrap();
    // The source goes on without versions for a while, so the position in them means nothing any more.
    ground.keep_versions(0).await;
    delete(&ground, 4).await;
    let copied = ground.copy().await.unwrap();
    assert!(copied.has_missed_deletions && !copied.hears_deletions, "{copied:?}");
    assert!(position.versions.is_some());
    let found = Copy::prepare(ground.plan()).await.unwrap();
    let found = found.verify(OnExtra::Delete, &|_| {}).await.unwrap();
    assert!(found.is_equal() && found.source_items == 38, "{found:?}");
}

#[tokio::test]
async fn a_source_without_versions_says_that_it_is_not_heard() {
    let ground = Ground::with(5).await;
    ground.keep_versions(0).await;
    let copied = ground.copy().await.unwrap();
    assert!(!copied.hears_deletions);
    delete(&ground, 3).await;
    assert_eq!(ground.copy().await.unwrap().deleted, 0);
    // As soon as it keeps them, they are heard from then on.
    ground.keep_versions(10).await;
    assert!(ground.copy().await.unwrap().hears_deletions);
    delete(&ground, 4).await;
    assert_eq!(ground.copy().await.unwrap().deleted, 1);
    let found = Copy::prepare(ground.plan()).await.unwrap();
    let found = found.verify(OnExtra::Tell, &|_| {}).await.unwrap();
    assert_eq!(found.extra, 1, "the one that was deleted unheard: {found:?}");
}
