//! Interrupted copies that are run again.

use std::time::Duration;

use client::Fault;
use service::copy::{ContainerCopy, CopyError, OnExtraItem};

use super::fixture::{Fixture, order};

async fn verify(fixture: &Fixture, items: u64) {
    let copy = ContainerCopy::prepare(fixture.plan()).await.unwrap();
    let found = copy.verify(OnExtraItem::Report, &|_| {}).await.unwrap();
    assert!(found.is_equal() && found.source_items == items, "{found:?}");
}

#[tokio::test]
async fn a_stopped_copy_goes_on_where_it_was() {
    let fixture = Fixture::with(60).await;
    // Two pages of newest versions, and behind each one of all versions.
    *fixture.kept.room.lock().unwrap() = Some(4);
    let stopped = fixture.copy().await.unwrap_err();
    assert!(matches!(stopped, CopyError::Checkpoint(_)), "{stopped}");
    *fixture.kept.room.lock().unwrap() = None;
    let kept = fixture.kept.last.lock().unwrap().clone().unwrap();
    let half = fixture.faults.requests("upsert");
    let copied = fixture.copy().await.unwrap();
    assert!(copied.is_resumed);
    assert_eq!(copied.copied, 60 - kept.copied);
    assert!(kept.copied >= 20 && copied.copied < 60, "{kept:?}");
    assert_eq!(fixture.faults.requests("upsert") - half, usize::try_from(copied.copied).unwrap());
    verify(&fixture, 60).await;
}

#[tokio::test]
async fn a_busy_account_is_waited_for() {
    let fixture = Fixture::with(20).await;
    let delay = Duration::from_secs(7);
    for _ in 0..30 {
        fixture.faults.next_of("upsert", Fault::Throttled { delay });
    }
    fixture.faults.next_of("read changes", Fault::Throttled { delay });
    fixture.faults.next_of("upsert", Fault::LostResponse);
    fixture.faults.next_of("upsert", Fault::Unavailable);
    assert_eq!(fixture.copy().await.unwrap().copied, 20);
    assert_eq!(fixture.faults.injected(), 33);
    let asked = fixture.waits.lock().unwrap().iter().filter(|wait| **wait >= delay).count();
    assert_eq!(asked, 31, "every delay asked for was honoured");
    verify(&fixture, 20).await;
}

#[tokio::test]
async fn a_position_means_nothing_for_a_target_that_was_emptied() {
    let fixture = Fixture::with(20).await;
    fixture.copy().await.unwrap();
    for item in fixture.target_items().await {
        let key = item["city"].as_str().unwrap().into();
        fixture.to.delete(&key, item["id"].as_str().unwrap(), None).await.unwrap();
    }
    let copied = fixture.copy().await.unwrap();
    assert_eq!((copied.copied, copied.is_resumed), (20, false));
    verify(&fixture, 20).await;
}

#[tokio::test]
async fn a_position_of_another_copy_is_refused() {
    let fixture = Fixture::with(3).await;
    fixture.copy().await.unwrap();
    let mut plan = fixture.plan();
    plan.transform = std::sync::Arc::new(super::fixture::Set("a", "b"));
    let refused = fixture.copy_by(plan).await.unwrap_err();
    assert!(matches!(&refused, CopyError::Checkpoint(_)), "{refused}");
    assert!(refused.to_string().contains("another copy"), "{refused}");
}

#[tokio::test]
async fn changes_between_two_runs_are_not_lost() {
    let fixture = Fixture::with(60).await;
    *fixture.kept.room.lock().unwrap() = Some(3);
    fixture.copy().await.unwrap_err();
    *fixture.kept.room.lock().unwrap() = None;
    for number in (0..60).step_by(7) {
        let mut changed = order(number);
        changed["total"] = 5000.into();
        fixture.put(changed).await;
    }
    fixture.copy().await.unwrap();
    verify(&fixture, 60).await;
    let changed = fixture.target_items().await.iter().filter(|item| item["total"] == 5000).count();
    assert_eq!(changed, 9);
}
