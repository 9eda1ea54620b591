//! Copies that stop half way and are run again.

use std::time::Duration;

use client::Fault;
use service::copy::{Copy, CopyError, OnExtra};

use super::ground::{Ground, order};

async fn verify(ground: &Ground, items: u64) {
    let copy = Copy::prepare(ground.plan()).await.unwrap();
    let found = copy.verify(OnExtra::Tell, &|_| {}).await.unwrap();
    assert!(found.is_equal() && found.source_items == items, "{found:?}");
}

#[tokio::test]
async fn a_stopped_copy_goes_on_where_it_was() {
    let ground = Ground::with(60).await;
    // Two pages of newest versions, and behind each one of all versions.
    *ground.kept.room.lock().unwrap() = Some(4);
    let stopped = ground.copy().await.unwrap_err();
    assert!(matches!(stopped, CopyError::Checkpoint(_)), "{stopped}");
    *ground.kept.room.lock().unwrap() = None;
    let kept = ground.kept.last.lock().unwrap().clone().unwrap();
    let half = ground.faults.requests("upsert");
    let copied = ground.copy().await.unwrap();
    assert!(copied.is_resumed);
    assert_eq!(copied.copied, 60 - kept.copied);
    assert!(kept.copied >= 20 && copied.copied < 60, "{kept:?}");
    assert_eq!(ground.faults.requests("upsert") - half, usize::try_from(copied.copied).unwrap());
    verify(&ground, 60).await;
}

#[tokio::test]
async fn a_busy_account_is_waited_for() {
    let ground = Ground::with(20).await;
    let delay = Duration::from_secs(7);
    for _ in 0..30 {
        ground.faults.next_of("upsert", Fault::Throttled { delay });
    }
    ground.faults.next_of("read changes", Fault::Throttled { delay });
    ground.faults.next_of("upsert", Fault::LostResponse);
    ground.faults.next_of("upsert", Fault::Unavailable);
    assert_eq!(ground.copy().await.unwrap().copied, 20);
    assert_eq!(ground.faults.injected(), 33);
    let asked = ground.waits.lock().unwrap().iter().filter(|wait| **wait >= delay).count();
    assert_eq!(asked, 31, "every delay asked for was honoured");
    verify(&ground, 20).await;
}

#[tokio::test]
async fn a_position_means_nothing_for_a_target_that_was_emptied() {
    let ground = Ground::with(20).await;
    ground.copy().await.unwrap();
    for item in ground.target_items().await {
        let key = item["city"].as_str().unwrap().into();
        ground.to.delete(&key, item["id"].as_str().unwrap(), None).await.unwrap();
    }
    let copied = ground.copy().await.unwrap();
    assert_eq!((copied.copied, copied.is_resumed), (20, false));
    verify(&ground, 20).await;
}

#[tokio::test]
async fn a_position_of_another_copy_is_refused() {
    let ground = Ground::with(3).await;
    ground.copy().await.unwrap();
    let mut plan = ground.plan();
    plan.transform = std::sync::Arc::new(super::ground::Set("a", "b"));
    let refused = ground.copy_by(plan).await.unwrap_err();
    assert!(matches!(&refused, CopyError::Checkpoint(_)), "{refused}");
    assert!(refused.to_string().contains("another copy"), "{refused}");
}

#[tokio::test]
async fn changes_between_two_runs_are_not_lost() {
    let ground = Ground::with(60).await;
    *ground.kept.room.lock().unwrap() = Some(3);
    ground.copy().await.unwrap_err();
    *ground.kept.room.lock().unwrap() = None;
    for number in (0..60).step_by(7) {
        let mut changed = order(number);
        changed["total"] = 5000.into();
        ground.put(changed).await;
    }
    ground.copy().await.unwrap();
    verify(&ground, 60).await;
    let changed = ground.target_items().await.iter().filter(|item| item["total"] == 5000).count();
    assert_eq!(changed, 9);
}
