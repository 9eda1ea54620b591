//! Deletions in a source that keeps all versions, as our containers do by default.

use client::{Fault, PartitionKey, PartitionKeyDefinition};
use serde_json::json;
use service::copy::{ContainerCopy, CopyError, CopyPlan, OnExtraItem};

use super::fixture::{Fixture, Set, order};

async fn delete(fixture: &Fixture, number: usize) {
    let key = PartitionKey::from(format!("c{}", number % 10).as_str());
    fixture.from.delete(&key, &format!("o{number}"), None).await.unwrap();
}

async fn verify(fixture: &Fixture, plan: CopyPlan, items: u64) {
    let copy = ContainerCopy::prepare(plan).await.unwrap();
    let found = copy.verify(OnExtraItem::Report, &|_| {}).await.unwrap();
    assert!(found.is_equal() && found.source_items == items, "{found:?} {:?}", fixture.kept.last);
}

#[tokio::test]
async fn an_item_deleted_after_it_was_copied_is_deleted_in_the_target() {
    let fixture = Fixture::with(30).await;
    let first = fixture.copy().await.unwrap();
    assert!(first.sees_deletions && first.copied == 30 && first.deleted == 0, "{first:?}");
    delete(&fixture, 4).await;
    delete(&fixture, 5).await;
    // It comes back, so it stays.
    fixture.put(order(5)).await;
    // An item whose new key changes leaves its old place.
    fixture.put(json!({"id": "o6", "customer": "c6", "city": "moved"})).await;
    let second = fixture.copy().await.unwrap();
    assert_eq!((second.copied, second.deleted, second.unplaced), (2, 2, 0), "{second:?}");
    verify(&fixture, fixture.plan(), 29).await;
    let third = fixture.copy().await.unwrap();
    assert_eq!((third.copied, third.deleted), (0, 0));
}

#[tokio::test]
async fn an_item_deleted_while_the_copy_runs_is_not_left_behind() {
    let fixture = Fixture::with(60).await;
    // It stops after each page; between them the source goes on.
    for round in 0..5 {
        *fixture.kept.room.lock().unwrap() = Some(1);
        let stopped = fixture.copy().await.unwrap_err();
        assert!(matches!(stopped, CopyError::Checkpoint(_)), "{stopped}");
        delete(&fixture, round * 7).await;
        delete(&fixture, round * 7 + 1).await;
        fixture.put(order(round * 7 + 1)).await;
        fixture
            .put(json!({"id": format!("o{}", round + 50), "customer": format!("c{round}"),
            "city": format!("new{round}")}))
            .await;
    }
    *fixture.kept.room.lock().unwrap() = None;
    fixture.copy().await.unwrap();
    verify(&fixture, fixture.plan(), 55).await;
}

#[tokio::test]
async fn a_transform_is_applied_to_what_was_there() {
    let fixture = Fixture::with(20).await;
    let plan = || {
        let mut plan = fixture.plan();
        plan.partition_key = Some(PartitionKeyDefinition::single("/tenant").unwrap());
        plan.transform = std::sync::Arc::new(Set("tenant", "t1"));
        plan
    };
    fixture.copy_by(plan()).await.unwrap();
    delete(&fixture, 3).await;
    let copied = fixture.copy_by(plan()).await.unwrap();
    assert_eq!((copied.deleted, copied.unplaced), (1, 0));
    verify(&fixture, plan(), 19).await;
}

#[tokio::test]
async fn versions_that_are_forgotten_end_no_copy() {
    let fixture = Fixture::with(40).await;
    fixture.keep_versions(1).await;
    *fixture.kept.room.lock().unwrap() = Some(2);
    fixture.copy().await.unwrap_err();
    *fixture.kept.room.lock().unwrap() = None;
    delete(&fixture, 3).await;
    let position = fixture.kept.last.lock().unwrap().clone().unwrap();
    // The source goes on without versions for a while, so the position in them means nothing any more.
    fixture.keep_versions(0).await;
    delete(&fixture, 4).await;
    let copied = fixture.copy().await.unwrap();
    assert!(copied.has_missed_deletions && !copied.sees_deletions, "{copied:?}");
    assert!(position.versions.is_some());
    let found = ContainerCopy::prepare(fixture.plan()).await.unwrap();
    let found = found.verify(OnExtraItem::Delete, &|_| {}).await.unwrap();
    assert!(found.is_equal() && found.source_items == 38, "{found:?}");
}

#[tokio::test]
async fn a_position_that_is_refused_again_ends_the_copy_with_the_reason() {
    let fixture = Fixture::with(40).await;
    // The mark, a page of the latest versions, a page of all versions.
    for round in 0..3 {
        let refused = if round < 2 { Fault::BadRequest } else { Fault::None };
        for fault in [Fault::None, Fault::None, refused] {
            fixture.faults.next_of("read changes", fault);
        }
    }
    let error = fixture.copy().await.unwrap_err().to_string();
    assert!(error.contains("reading the changes of shop/orders"), "{error}");
    assert_eq!(fixture.faults.pending(), 3, "it has not tried a third time");
    // Once is what happens when versions expire.
    let fixture = Fixture::with(40).await;
    for fault in [Fault::None, Fault::None, Fault::BadRequest] {
        fixture.faults.next_of("read changes", fault);
    }
    assert!(fixture.copy().await.unwrap().has_missed_deletions);
}

#[tokio::test]
async fn a_source_without_versions_reports_that_deletions_are_not_seen() {
    let fixture = Fixture::with(5).await;
    fixture.keep_versions(0).await;
    let copied = fixture.copy().await.unwrap();
    assert!(!copied.sees_deletions);
    delete(&fixture, 3).await;
    assert_eq!(fixture.copy().await.unwrap().deleted, 0);
    // As soon as it keeps them, they are heard from then on.
    fixture.keep_versions(10).await;
    assert!(fixture.copy().await.unwrap().sees_deletions);
    delete(&fixture, 4).await;
    assert_eq!(fixture.copy().await.unwrap().deleted, 1);
    let found = ContainerCopy::prepare(fixture.plan()).await.unwrap();
    let found = found.verify(OnExtraItem::Report, &|_| {}).await.unwrap();
    assert_eq!(found.extra, 1, "the one that was deleted unheard: {found:?}");
}
