//! Time to live: when an item is gone, for whom, and what reclaims it.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ChangeOperation, ChangeRecord};
use engine::operation::BatchOperation;
use engine::response::{BatchResult, UpsertResult};
use engine::{ContainerLink, EngineSettings, ErrorKind};
use model::{FeedRange, TimeToLive};

use crate::account::{Account, plain, settings_without_maintenance};
use crate::verbs::{id, key, own, refused};

async fn with_default(default: TimeToLive, settings: EngineSettings) -> (Account, ContainerLink) {
    let account = Account::with_settings(settings).await;
    let mut properties = plain("c");
    properties.default_time_to_live = default;
    let link = account.container(properties).await;
    (account, link)
}

async fn exists(account: &Account, link: &ContainerLink, name: &str) -> bool {
    match account.read(link, "x", name).await {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound);
            false
        }
    }
}

#[tokio::test]
async fn the_table_of_container_and_item() {
    let table = [
        (TimeToLive::Off, [true, true, true]),
        (TimeToLive::NoDefault, [true, true, false]),
        (TimeToLive::Seconds(20), [false, true, false]),
        (TimeToLive::Seconds(100), [true, true, false]),
    ];
    for (default, survive) in table {
        let (account, link) = with_default(default, settings_without_maintenance()).await;
        for (name, ttl) in [("absent", ""), ("never", r#","ttl":-1"#), ("own", r#","ttl":50"#)] {
            let text = format!(r#"{{"id":"{name}","pk":"x"{ttl}}}"#);
            account.create(&link, &text).await.unwrap();
        }
        account.travel(19);
        for name in ["absent", "never", "own"] {
            assert!(exists(&account, &link, name).await, "{default:?} {name}");
        }
        account.travel(40);
        for sweep in [false, true] {
            if sweep {
                account.engine.maintain_fully().await.unwrap();
            }
            for (name, survives) in ["absent", "never", "own"].into_iter().zip(survive) {
                assert_eq!(exists(&account, &link, name).await, survives, "{default:?} {name}");
            }
        }
        let left = survive.iter().filter(|survives| **survives).count();
        assert_eq!(account.resource(&link).await.usage.items, left as u64);
        account.verify().await;
    }
}

#[tokio::test]
async fn life_is_counted_from_the_last_write_to_the_second() {
    let (account, link) =
        with_default(TimeToLive::Seconds(10), settings_without_maintenance()).await;
    account.create(&link, r#"{"id":"a","pk":"x","n":0}"#).await.unwrap();
    account.travel(9);
    account.patch(&link, ("x", "a"), r#"[{"op":"incr","path":"/n","value":1}]"#).await.unwrap();
    account.travel(9);
    account.engine.maintain_fully().await.unwrap();
    assert!(exists(&account, &link, "a").await);
    account.travel(1);
    assert!(!exists(&account, &link, "a").await);
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 1);
    account.verify().await;
}

#[tokio::test]
async fn a_changed_default_applies_to_old_items_at_once() {
    let (account, link) = with_default(TimeToLive::Off, settings_without_maintenance()).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    account.create(&link, r#"{"id":"own","pk":"x","ttl":5}"#).await.unwrap();
    account.travel(50);
    assert!(exists(&account, &link, "own").await);
    let set = |default| account.alter(&link, move |own| own.default_time_to_live = default);
    set(TimeToLive::Seconds(100)).await.unwrap();
    assert!(exists(&account, &link, "a").await);
    assert!(!exists(&account, &link, "own").await);
    set(TimeToLive::Seconds(50)).await.unwrap();
    assert!(!exists(&account, &link, "a").await);
    set(TimeToLive::Off).await.unwrap();
    assert!(exists(&account, &link, "a").await, "nothing was reclaimed yet");
    set(TimeToLive::Seconds(1)).await.unwrap();
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 2);
    set(TimeToLive::Off).await.unwrap();
    assert!(!exists(&account, &link, "a").await);
    account.verify().await;
}

#[tokio::test]
async fn an_expired_item_is_invisible_everywhere_before_any_sweep() {
    let (account, link) =
        with_default(TimeToLive::Seconds(10), settings_without_maintenance()).await;
    account.create(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    account.create(&link, r#"{"id":"b","pk":"x","ttl":-1}"#).await.unwrap();
    account.travel(10);
    let not_found = ErrorKind::NotFound;
    refused(account.read(&link, "x", "a").await, not_found);
    refused(account.delete(&link, "x", "a").await, not_found);
    refused(account.replace(&link, "a", r#"{"id":"a","pk":"x"}"#).await, not_found);
    let patch = r#"[{"op":"incr","path":"/n","value":1}]"#;
    refused(account.patch(&link, ("x", "a"), patch).await, not_found);
    assert_eq!(account.read_many(&link, &[("x", "a"), ("x", "b")]).await.len(), 1);
    for range in [FeedRange::Container, FeedRange::PartitionKey(key("x"))] {
        assert_eq!(account.list(&link, &range, 1).await.len(), 1);
    }
    let batch = vec![BatchOperation::Read { id: id("a"), precondition: None }];
    let outcome = account.batch(&link, "x", batch).await.unwrap();
    let BatchResult::RolledBack { failed: 0, error, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(error.kind(), not_found);
    let mode = ChangeFeedMode::LatestVersion;
    let page = account.changes(&link, mode, ChangeFeedStart::Beginning, 10).await.unwrap();
    assert_eq!(page.changes.len(), 1);
    assert_eq!(page.changes[0].id(), "b");
    assert_eq!(account.resource(&link).await.usage.items, 2, "still stored");
    account.verify().await;
}

#[tokio::test]
async fn the_id_of_an_expired_item_is_free() {
    let (account, link) =
        with_default(TimeToLive::Seconds(10), settings_without_maintenance()).await;
    let first = account.create(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    account.create(&link, r#"{"id":"b","pk":"x"}"#).await.unwrap();
    account.travel(10);
    let second = account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    assert_ne!(first.to_json().get("_rid"), second.to_json().get("_rid"));
    let upserted = account.upsert(&link, r#"{"id":"b","pk":"x","n":2}"#).await.unwrap();
    assert!(matches!(upserted, UpsertResult::Created(_)));
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 0);
    assert_eq!(own(&account.read(&link, "x", "a").await.unwrap()), r#"{"id":"a","pk":"x"}"#);
    account.verify().await;
}

#[tokio::test]
async fn deleting_by_partition_key_does_not_count_the_expired() {
    let (account, link) =
        with_default(TimeToLive::Seconds(10), settings_without_maintenance()).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    account.travel(10);
    account.create(&link, r#"{"id":"b","pk":"x"}"#).await.unwrap();
    assert_eq!(account.delete_partition(&link, "x").await.unwrap(), 1);
    assert_eq!(account.resource(&link).await.usage.items, 0);
    account.verify().await;
}

/// Sweeps of one item each must neither skip nor stand still, whatever lies between the expired ones.
#[tokio::test]
async fn the_smallest_sweeps_reclaim_everything() {
    let settings = EngineSettings { maintenance_items_max: 1, ..settings_without_maintenance() };
    let (account, link) = with_default(TimeToLive::Seconds(10), settings).await;
    for number in 0..30 {
        let ttl = match number % 5 {
            0 => r#","ttl":-1"#,
            1 => r#","ttl":3"#,
            2 => r#","ttl":1000"#,
            _ => "",
        };
        let text = format!(r#"{{"id":"i{number}","pk":"x"{ttl}}}"#);
        account.create(&link, &text).await.unwrap();
        if number % 7 == 0 {
            account.travel(1);
        }
    }
    account.travel(20);
    let sum = account.engine.maintain_fully().await.unwrap();
    assert_eq!(sum.expired, 18);
    assert_eq!(account.resource(&link).await.usage.items, 12);
    account.create(&link, r#"{"id":"late","pk":"x"}"#).await.unwrap();
    account.travel(10);
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 1);
    account.verify().await;
}

/// More changes than a transaction can number must not be tried in one.
#[tokio::test]
async fn a_huge_sweep_is_cut_into_transactions() {
    let settings =
        EngineSettings { maintenance_items_max: 1_000_000, ..settings_without_maintenance() };
    let (account, link) = with_default(TimeToLive::Seconds(10), settings).await;
    account.alter(&link, |own| own.indexing_policy.included.clear()).await.ok();
    for batch in 0..60 {
        let operations = (0..100)
            .map(|number| BatchOperation::Create {
                item: crate::account::json(&format!(r#"{{"id":"{batch}-{number}","pk":"x"}}"#))
                    .into(),
                options: Default::default(),
            })
            .collect();
        account.batch(&link, "x", operations).await.unwrap();
    }
    account.travel(10);
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 6000);
    account.verify().await;
}

/// Items too large for one page, all written by one transaction and none of them due to go.
#[tokio::test]
async fn a_transaction_larger_than_a_page_does_not_stop_the_sweep() {
    let (account, link) =
        with_default(TimeToLive::Seconds(10), settings_without_maintenance()).await;
    let long = "l".repeat(1_900_000);
    for number in 0..10 {
        let text = format!(r#"{{"id":"i{number}","pk":"x","ttl":-1,"l":"{long}"}}"#);
        account.create(&link, &text).await.unwrap();
    }
    let operations = (0..10)
        .map(|number| BatchOperation::Patch {
            id: id(&format!("i{number}")),
            patch: crate::verbs::patch_of(r#"[{"op":"set","path":"/n","value":1}]"#, None),
            options: Default::default(),
        })
        .collect();
    let outcome = account.batch(&link, "x", operations).await.unwrap();
    assert!(matches!(outcome, BatchResult::Committed(_)));
    account.create(&link, r#"{"id":"mortal","pk":"x"}"#).await.unwrap();
    account.travel(10);
    assert_eq!(account.engine.maintain_fully().await.unwrap().expired, 1);
    // The feed gets past that transaction as well.
    let mode = ChangeFeedMode::LatestVersion;
    let mut start = ChangeFeedStart::Beginning;
    let mut seen = 0;
    for _ in 0..20 {
        let page = account.changes(&link, mode, start, 1).await.unwrap();
        seen += page.changes.len();
        start = ChangeFeedStart::Continuation(page.continuation);
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, 10);
}

#[tokio::test]
async fn the_feed_of_all_versions_contains_expiries_with_the_previous_image() {
    let (account, link) =
        with_default(TimeToLive::Seconds(10), settings_without_maintenance()).await;
    let mode = ChangeFeedMode::AllVersionsAndDeletes;
    let now = account.changes(&link, mode, ChangeFeedStart::Now, 10).await.unwrap();
    let written = account.create(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    account.travel(15);
    account.engine.maintain_fully().await.unwrap();
    let start = ChangeFeedStart::Continuation(now.continuation);
    let page = account.changes(&link, mode, start, 10).await.unwrap();
    let operations: Vec<_> = page.changes.iter().map(ChangeRecord::operation).collect();
    assert_eq!(operations, [ChangeOperation::Create, ChangeOperation::Expire]);
    let expired = &page.changes[1];
    assert_eq!(expired.current(), None);
    assert_eq!(expired.previous(), Some(&written));
    assert_eq!(expired.previous_lsn(), written.lsn());
    assert_eq!(expired.timestamp().0, written.timestamp().0 + 15);
}

#[tokio::test]
async fn sweeps_go_on_after_reopening_splitting_and_merging() {
    let settings = EngineSettings { maintenance_items_max: 3, ..settings_without_maintenance() };
    let (mut account, link) = with_default(TimeToLive::Seconds(10), settings).await;
    let mut number = 0;
    let mut expired = 0;
    for round in 0..6 {
        for _ in 0..20 {
            number += 1;
            let ttl = if number % 3 == 0 { r#","ttl":4"# } else { "" };
            let text = format!(r#"{{"id":"i{number}","pk":"p{number}"{ttl}}}"#);
            account.create(&link, &text).await.unwrap();
        }
        account.travel(5);
        expired += account.engine.maintain().await.unwrap().expired;
        let partitions = account.engine.list_partitions(&link).await.unwrap().value.partitions;
        match round % 3 {
            0 => account = account.reopened().await,
            1 => drop(account.split(&link, partitions[0].number).await.unwrap()),
            _ => {
                let pair = (partitions[0].number, partitions[1].number);
                account.merge(&link, pair.0, pair.1).await.unwrap();
            }
        }
        account.verify().await;
    }
    account.travel(10);
    expired += account.engine.maintain_fully().await.unwrap().expired;
    assert_eq!(expired, 120);
    assert_eq!(account.resource(&link).await.usage.items, 0);
    account.verify().await;
}
