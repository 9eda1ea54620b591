//! What a network does to calls, and what the retries make of it. Waiting costs no time here.

use std::time::Duration;

use client::{
    AccountResponse, Container, ErrorKind, Fault, Faults, Item, ItemBatch, Patch, PatchOperation,
    PatchPath, RetryPolicy,
};
use serde::{Deserialize, Serialize};

use crate::simulated::{Waits, orders, through};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: String,
    customer: String,
    total: i64,
}

fn order(total: i64) -> Order {
    Order { id: "1".to_owned(), customer: "ann".to_owned(), total }
}

/// Orders that fail as planned, the same without faults, the plan, and the waits.
async fn faulty() -> (Container, Container, Faults, Waits) {
    let (account, plain, waits) = orders(7).await;
    let faults = Faults::new();
    let container = through(&account.with_faults(faults.clone()));
    (container, plain, faults, waits)
}

async fn stored(plain: &Container) -> Option<i64> {
    match plain.read::<Order>(&"ann".into(), "1").await {
        Ok(answer) => Some(answer.value.value.total),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => panic!("{error}"),
    }
}

const DELAY: Duration = Duration::from_millis(1_234);

#[tokio::test]
async fn a_throttled_call_waits_as_long_as_it_was_told_and_goes_through() {
    let (orders, plain, faults, waits) = faulty().await;
    faults.next(Fault::Throttled { delay: DELAY });
    faults.next(Fault::Throttled { delay: Duration::ZERO });
    orders.create(&"ann".into(), &order(1)).await.unwrap();
    assert_eq!(stored(&plain).await, Some(1));
    assert_eq!(faults.requests("create"), 3);
    let waits = waits.all();
    assert_eq!(waits[0], DELAY);
    let own = Duration::from_millis(50)..=Duration::from_millis(100);
    assert!(own.contains(&waits[1]), "{waits:?}");
    assert_eq!(waits.len(), 2);
}

#[tokio::test]
async fn a_call_that_is_always_throttled_gives_up_within_its_bounds() {
    let (orders, plain, faults, waits) = faulty().await;
    for _ in 0..100 {
        faults.next(Fault::Throttled { delay: DELAY });
    }
    let error = orders.create(&"ann".into(), &order(1)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Throttled { delay: Some(DELAY) });
    assert_eq!(error.attempts(), RetryPolicy::default().attempts_max);
    assert!(!error.may_have_happened());
    let waited: Duration = waits.all().iter().sum();
    assert!(waited <= RetryPolicy::default().elapsed_max, "{waited:?}");
    assert_eq!(stored(&plain).await, None);
    assert!(error.to_string().contains("after 6 attempts"), "{error}");
}

#[tokio::test]
async fn a_delay_longer_than_the_bound_is_not_waited_for() {
    let (orders, _, faults, waits) = faulty().await;
    faults.next(Fault::Throttled { delay: Duration::from_secs(31) });
    let error = orders.create(&"ann".into(), &order(1)).await.unwrap_err();
    assert_eq!(error.attempts(), 1);
    assert_eq!(waits.all(), Vec::<Duration>::new());
}

#[tokio::test]
async fn reads_are_repeated_after_every_fault() {
    let (orders, plain, faults, _) = faulty().await;
    plain.create(&"ann".into(), &order(5)).await.unwrap();
    let after = Duration::from_secs(2);
    for fault in [Fault::Unavailable, Fault::Timeout { after }, Fault::LostResponse] {
        faults.next(fault);
        let read = orders.read::<Order>(&"ann".into(), "1").await.unwrap();
        assert_eq!(read.value.value.total, 5, "{fault:?}");
    }
    assert_eq!(faults.injected(), 3);
    assert_eq!(faults.requests("read"), 6);
}

#[tokio::test]
async fn a_create_whose_answer_is_lost_succeeds_once() {
    let (orders, plain, faults, _) = faulty().await;
    faults.next_of("create", Fault::LostResponse);
    let created = orders.create(&"ann".into(), &order(1)).await.unwrap();
    let read = plain.read::<Order>(&"ann".into(), "1").await.unwrap();
    assert_eq!(created.value.etag(), read.value.etag());
    assert_eq!(faults.requests("create"), 2);
}

#[tokio::test]
async fn a_create_that_meets_the_item_of_somebody_else_is_a_conflict_also_after_a_fault() {
    let (orders, plain, faults, _) = faulty().await;
    plain.create(&"ann".into(), &order(99)).await.unwrap();
    faults.next_of("create", Fault::Unavailable);
    let error = orders.create(&"ann".into(), &order(1)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(stored(&plain).await, Some(99));
}

#[tokio::test]
async fn a_guarded_replace_whose_answer_is_lost_succeeds_once() {
    let (orders, plain, faults, _) = faulty().await;
    let etag = plain.create(&"ann".into(), &order(1)).await.unwrap().etag.unwrap();
    faults.next_of("replace", Fault::LostResponse);
    let replaced = orders.replace(&"ann".into(), &order(2), Some(&etag)).await.unwrap();
    assert_eq!(replaced.value.value.total, 2);
    assert_eq!(stored(&plain).await, Some(2));
    // The etag of the answer is that of the write, so that the next guarded write goes through.
    let etag = replaced.value.etag().unwrap();
    orders.replace(&"ann".into(), &order(3), Some(&etag)).await.unwrap();
}

#[tokio::test]
async fn a_delete_whose_answer_is_lost_succeeds() {
    let (orders, plain, faults, _) = faulty().await;
    plain.create(&"ann".into(), &order(1)).await.unwrap();
    faults.next_of("delete", Fault::LostResponse);
    orders.delete(&"ann".into(), "1", None).await.unwrap();
    assert_eq!(stored(&plain).await, None);
    let missing = orders.delete(&"ann".into(), "1", None).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

async fn increment(orders: &Container) -> client::Result<AccountResponse<Item<Order>>> {
    let path = PatchPath::parse("/total").unwrap();
    let by = client::Number::parse("1").unwrap();
    let patch = Patch::new(vec![PatchOperation::Increment { path, by }], None).unwrap();
    orders.patch::<Order>(&"ann".into(), "1", patch, None).await
}

#[tokio::test]
async fn a_patch_is_never_done_twice() {
    let (orders, plain, faults, waits) = faulty().await;
    plain.create(&"ann".into(), &order(1)).await.unwrap();
    faults.next_of("patch", Fault::LostResponse);
    let error = increment(&orders).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.may_have_happened());
    assert_eq!(faults.requests("patch"), 1);
    assert_eq!(stored(&plain).await, Some(2));
    assert_eq!(waits.all(), Vec::<Duration>::new());
    // Throttled, it was not done, so it is tried again.
    faults.next_of("patch", Fault::Throttled { delay: DELAY });
    assert_eq!(increment(&orders).await.unwrap().value.value.total, 3);
}

#[tokio::test]
async fn a_batch_whose_answer_is_lost_says_that_it_may_have_happened() {
    let (orders, plain, faults, _) = faulty().await;
    faults.next_of("batch", Fault::LostResponse);
    let batch = || ItemBatch::new().create(&order(1)).unwrap();
    let error = orders.batch(&"ann".into(), batch()).await.unwrap_err();
    assert!(error.may_have_happened());
    assert_eq!(stored(&plain).await, Some(1));
    faults.next_of("batch", Fault::Timeout { after: DELAY });
    let error = orders.batch(&"ann".into(), batch()).await.unwrap_err();
    assert!(error.may_have_happened());
}

#[tokio::test]
async fn a_modification_goes_through_faults_and_other_writers() {
    let (orders, plain, faults, _) = faulty().await;
    plain.create(&"ann".into(), &order(1)).await.unwrap();
    faults.next_of("read", Fault::Unavailable);
    faults.next_of("replace", Fault::LostResponse);
    let mut rounds = 0;
    let add = |order: &mut Order| {
        rounds += 1;
        order.total += 1;
        Ok::<(), client::Error>(())
    };
    let modified = orders.modify(&"ann".into(), "1", add).await.unwrap();
    assert_eq!(modified.value.value.total, 2);
    assert_eq!(rounds, 1);
    assert_eq!(stored(&plain).await, Some(2));
}

#[tokio::test]
async fn the_same_seed_waits_the_same() {
    async fn waits_of(seed: u64) -> Vec<Duration> {
        let (account, _, waits) = orders(seed).await;
        let faults = Faults::new();
        let orders = through(&account.with_faults(faults.clone()));
        for _ in 0..4 {
            faults.next(Fault::Unavailable);
        }
        let _ = orders.read::<Order>(&"ann".into(), "1").await;
        waits.all()
    }
    assert_eq!(waits_of(3).await, waits_of(3).await);
    assert_ne!(waits_of(3).await, waits_of(4).await);
    assert_eq!(waits_of(3).await.len(), 4);
}

#[tokio::test]
async fn without_retries_the_first_failure_is_told() {
    let (account, _, waits) = orders(7).await;
    let faults = Faults::new();
    let account = account.with_faults(faults.clone()).with_retry_policy(RetryPolicy::NEVER);
    faults.next(Fault::Unavailable);
    let error = through(&account).read::<serde_json::Value>(&"ann".into(), "1").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(waits.all(), Vec::<Duration>::new());
}
