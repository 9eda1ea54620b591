//! The change feed of all versions and deletes: images, retention, stale positions.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ChangeOperation, ChangeRecord};
use engine::operation::BatchOperation;
use engine::{ContainerLink, EngineSettings, ErrorKind};
use model::{ChangeFeedPolicy, FeedRange, Lsn, TimeToLive, TimestampSeconds};

use crate::account::{Account, json, plain, settings_without_maintenance};
use crate::change_feed::drain;
use crate::verbs::{id, own, patch_of, refused};

const ALL: ChangeFeedMode = ChangeFeedMode::AllVersionsAndDeletes;

async fn started() -> (Account, ContainerLink, String) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let now = account.changes(&link, ALL, ChangeFeedStart::Now, 10).await.unwrap();
    (account, link, now.continuation)
}

async fn since(
    account: &Account,
    link: &ContainerLink,
    token: &str,
    max: usize,
) -> Vec<ChangeRecord> {
    let start = ChangeFeedStart::Continuation(token.to_owned());
    drain(account, link, &FeedRange::Container, ALL, start, max).await.0
}

/// `operation id n previous-n` per change.
fn describe(changes: &[ChangeRecord]) -> Vec<String> {
    let number = |item: Option<&engine::ItemResource>| {
        let number = item.and_then(|item| item.to_json().get("n").cloned());
        number.map_or_else(|| "-".to_owned(), |number| number.to_string())
    };
    changes
        .iter()
        .map(|change| {
            let operation = match change.operation() {
                ChangeOperation::Create => "create",
                ChangeOperation::Replace => "replace",
                ChangeOperation::Delete => "delete",
                ChangeOperation::Expire => "expire",
            };
            let (current, previous) =
                (number(change.current().as_ref()), number(change.previous()));
            format!("{operation} {} {current} {previous}", change.id())
        })
        .collect()
}

#[tokio::test]
async fn every_version_and_deletion_appears_with_the_previous_image() {
    let (account, link, token) = started().await;
    account.create(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    account.upsert(&link, r#"{"id":"a","pk":"x","n":2}"#).await.unwrap();
    account.create(&link, r#"{"id":"b","pk":"x","n":7}"#).await.unwrap();
    account.patch(&link, ("x", "a"), r#"[{"op":"incr","path":"/n","value":1}]"#).await.unwrap();
    account.delete(&link, "x", "a").await.unwrap();
    account.create(&link, r#"{"id":"a","pk":"x","n":4}"#).await.unwrap();
    let expected = [
        "create a 1 -",
        "replace a 2 1",
        "create b 7 -",
        "replace a 3 2",
        "delete a - 3",
        "create a 4 -",
    ];
    for items_max in [1, 2, 100] {
        let changes = since(&account, &link, &token, items_max).await;
        assert_eq!(describe(&changes), expected);
        let lsns: Vec<_> = changes.iter().map(|change| change.lsn().0).collect();
        assert_eq!(lsns, [1, 2, 3, 4, 5, 6]);
        let previous: Vec<_> = changes.iter().map(|change| change.previous_lsn().0).collect();
        assert_eq!(previous, [0, 1, 0, 2, 4, 0]);
    }
    account.verify().await;
}

#[tokio::test]
async fn versions_of_one_batch_appear_in_order_and_together() {
    let (account, link, token) = started().await;
    account.create(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    let increment = || BatchOperation::Patch {
        id: id("a"),
        patch: patch_of(r#"[{"op":"incr","path":"/n","value":1}]"#, None),
        options: Default::default(),
    };
    let delete = || BatchOperation::Delete { id: id("a"), options: Default::default() };
    let create = BatchOperation::Create {
        item: json(r#"{"id":"a","pk":"x","n":10}"#).into(),
        options: Default::default(),
    };
    let operations = vec![increment(), increment(), delete(), create, increment()];
    account.batch(&link, "x", operations).await.unwrap();
    let start = ChangeFeedStart::Continuation(token);
    let page = account.changes(&link, ALL, start, 1).await.unwrap();
    assert_eq!(describe(&page.changes), ["create a 1 -"]);
    let start = ChangeFeedStart::Continuation(page.continuation);
    let page = account.changes(&link, ALL, start, 1).await.unwrap();
    let expected =
        ["replace a 2 1", "replace a 3 2", "delete a - 3", "create a 10 -", "replace a 11 10"];
    assert_eq!(describe(&page.changes), expected);
    assert!(page.changes.iter().all(|change| change.lsn() == Lsn(2)));
    account.verify().await;
}

/// A transaction with more entries than any page asks for must not stop the feed.
#[tokio::test]
async fn a_sweep_of_many_items_does_not_stop_the_feed() {
    // All of them in one transaction.
    let settings = EngineSettings {
        maintenance_items_max: 4000,
        large_item_bytes: usize::MAX,
        ..settings_without_maintenance()
    };
    let account = Account::with_settings(settings).await;
    let mut properties = plain("c");
    properties.default_time_to_live = TimeToLive::Seconds(10);
    let link = account.container(properties).await;
    for batch in 0..12 {
        let operations = (0..100)
            .map(|number| BatchOperation::Create {
                item: json(&format!(r#"{{"id":"{batch}-{number}","pk":"x"}}"#)).into(),
                options: Default::default(),
            })
            .collect();
        account.batch(&link, "x", operations).await.unwrap();
    }
    let now = account.changes(&link, ALL, ChangeFeedStart::Now, 10).await.unwrap();
    account.travel(10);
    assert_eq!(account.engine.maintain().await.unwrap().expired, 1200);
    let mut start = ChangeFeedStart::Continuation(now.continuation);
    let mut seen = 0;
    for _ in 0..10 {
        let page = account.changes(&link, ALL, start, 1).await.unwrap();
        seen += page.changes.len();
        start = ChangeFeedStart::Continuation(page.continuation);
    }
    assert_eq!(seen, 1200);
}

/// Versions of one transaction that are larger than a scan returns at once.
#[tokio::test]
async fn large_versions_of_one_transaction_do_not_stop_the_feed_nor_a_split() {
    let (account, link, token) = started().await;
    let long = "l".repeat(1_900_000);
    let text = format!(r#"{{"id":"a","pk":"x","n":0,"l":"{long}"}}"#);
    account.create(&link, &text).await.unwrap();
    let increment = || BatchOperation::Patch {
        id: id("a"),
        patch: patch_of(r#"[{"op":"incr","path":"/n","value":1}]"#, None),
        options: Default::default(),
    };
    account.batch(&link, "x", (0..12).map(|_| increment()).collect()).await.unwrap();
    assert_eq!(since(&account, &link, &token, 1).await.len(), 13);
    account.split(&link, 0).await.unwrap();
    let changes = since(&account, &link, &token, 1).await;
    assert_eq!(describe(&changes[12..]), ["replace a 12 11"]);
}

#[tokio::test]
async fn it_cannot_start_in_the_past() {
    let (account, link, _) = started().await;
    let time = ChangeFeedStart::Time(TimestampSeconds(0));
    for start in [ChangeFeedStart::Beginning, time] {
        refused(account.changes(&link, ALL, start, 1).await, ErrorKind::Invalid);
    }
}

#[tokio::test]
async fn it_needs_a_retention() {
    let account = Account::new().await;
    let mut properties = plain("c");
    properties.change_feed_policy = Some(ChangeFeedPolicy::new(0));
    let link = account.container(properties).await;
    let page = account.changes(&link, ALL, ChangeFeedStart::Now, 1).await;
    refused(page, ErrorKind::Invalid);
    account.upsert(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    account.upsert(&link, r#"{"id":"a","pk":"x","n":2}"#).await.unwrap();
    account.delete(&link, "x", "a").await.unwrap();
    let report = account.engine.verify(&mut |_| {}).await.unwrap();
    assert_eq!(report.partitions[0].versions, 0);
    account.verify().await;
}

#[tokio::test]
async fn after_trimming_a_stale_position_is_refused_and_a_newer_one_works() {
    let account = Account::new().await;
    let mut properties = plain("c");
    properties.change_feed_policy = Some(ChangeFeedPolicy::new(10));
    let link = account.container(properties).await;
    let token = |start| {
        let (account, link) = (&account, &link);
        async move { account.changes(link, ALL, start, 10).await.unwrap().continuation }
    };
    let before = token(ChangeFeedStart::Now).await;
    account.upsert(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    account.upsert(&link, r#"{"id":"a","pk":"x","n":2}"#).await.unwrap();
    account.delete(&link, "x", "a").await.unwrap();
    let behind = token(ChangeFeedStart::Now).await;
    account.travel(600);
    assert_eq!(account.engine.maintain_fully().await.unwrap().trimmed, 0);
    assert_eq!(since(&account, &link, &before, 10).await.len(), 3);
    account.travel(1);
    assert_eq!(account.engine.maintain_fully().await.unwrap().trimmed, 3);
    account.create(&link, r#"{"id":"b","pk":"x","n":5}"#).await.unwrap();
    let stale = ChangeFeedStart::Continuation(before.clone());
    let text = refused(
        account.changes(&link, ALL, stale.clone(), 1).await,
        ErrorKind::ContinuationRefused,
    );
    assert!(text.contains("within the retention period"), "{text}");
    assert_eq!(describe(&since(&account, &link, &behind, 10).await), ["create b 5 -"]);
    // The newest versions are not versions of the past: that mode starts anywhere.
    let page = account.changes(&link, ChangeFeedMode::LatestVersion, stale, 10).await.unwrap();
    assert_eq!(describe(&page.changes), ["create b 5 -"]);
    let account = account.reopened().await;
    let stale = ChangeFeedStart::Continuation(before);
    refused(account.changes(&link, ALL, stale, 1).await, ErrorKind::ContinuationRefused);
    account.verify().await;
}

#[tokio::test]
async fn a_position_before_versions_that_were_never_kept_is_refused() {
    let (account, link, before) = started().await;
    account.create(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    let keep = |minutes| {
        account.alter(&link, move |properties| {
            properties.change_feed_policy = Some(ChangeFeedPolicy::new(minutes));
        })
    };
    let position = |start| {
        let (account, link) = (&account, &link);
        async move { account.changes(link, ALL, start, 1).await.map(|page| page.continuation) }
    };
    // A create loses nothing: an item that is still at its first version appears in full.
    keep(0).await.unwrap();
    account.create(&link, r#"{"id":"b","pk":"x","n":2}"#).await.unwrap();
    keep(10).await.unwrap();
    assert_eq!(
        describe(&since(&account, &link, &before, 10).await),
        ["create a 1 -", "create b 2 -"]
    );
    let between = position(ChangeFeedStart::Now).await.unwrap();

    keep(0).await.unwrap();
    account.delete(&link, "x", "a").await.unwrap();
    keep(10).await.unwrap();
    let behind = position(ChangeFeedStart::Now).await.unwrap();
    account.upsert(&link, r#"{"id":"b","pk":"x","n":3}"#).await.unwrap();
    for stale in [&before, &between] {
        let stale = ChangeFeedStart::Continuation(stale.clone());
        let text = refused(position(stale).await, ErrorKind::ContinuationRefused);
        assert!(text.contains("within the retention period"), "{text}");
    }
    assert_eq!(describe(&since(&account, &link, &behind, 10).await), ["replace b 3 2"]);

    let account = account.reopened().await;
    let stale = ChangeFeedStart::Continuation(between);
    refused(account.changes(&link, ALL, stale, 1).await, ErrorKind::ContinuationRefused);
    assert_eq!(describe(&since(&account, &link, &behind, 10).await), ["replace b 3 2"]);
    account.verify().await;
}

#[tokio::test]
async fn a_living_item_outlives_the_retention() {
    let (account, link, token) = started().await;
    account.upsert(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    account.travel(100_000);
    account.engine.maintain_fully().await.unwrap();
    let changes = since(&account, &link, &token, 10).await;
    assert_eq!(describe(&changes), ["create a 1 -"]);
    account.upsert(&link, r#"{"id":"a","pk":"x","n":2}"#).await.unwrap();
    assert_eq!(
        describe(&since(&account, &link, &token, 10).await),
        ["create a 1 -", "replace a 2 1"]
    );
}

#[tokio::test]
async fn splits_and_merges_keep_versions_and_their_images() {
    let (account, link, token) = started().await;
    for round in 1..4 {
        for number in 0..6 {
            let text = format!(r#"{{"id":"i{number}","pk":"p{number}","n":{round}}}"#);
            account.upsert(&link, &text).await.unwrap();
        }
    }
    account.delete(&link, "p0", "i0").await.unwrap();
    let sorted = |changes: Vec<ChangeRecord>| {
        let mut described = describe(&changes);
        described.sort();
        described
    };
    let before = sorted(since(&account, &link, &token, 5).await);
    let children = account.split(&link, 0).await.unwrap();
    assert_eq!(sorted(since(&account, &link, &token, 5).await), before);
    account.verify().await;
    account.merge(&link, children[0], children[1]).await.unwrap();
    assert_eq!(sorted(since(&account, &link, &token, 5).await), before);
    assert_eq!(
        own(&account.read(&link, "p1", "i1").await.unwrap()),
        r#"{"id":"i1","pk":"p1","n":3}"#
    );
    account.verify().await;
}

/// Two partitions of which one, that of the first key, has many more writes than the other.
async fn busy_and_calm() -> (Account, ContainerLink, [u32; 2], [&'static str; 2]) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let children = account.split(&link, 0).await.unwrap();
    let keys = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];
    let mut found = [None, None];
    for key in keys {
        let text = format!(r#"{{"id":"{key}","pk":"{key}","n":0}}"#);
        account.upsert(&link, &text).await.unwrap();
        let partitions = account.engine.list_partitions(&link).await.unwrap().value.partitions;
        let used = partitions.iter().map(|partition| partition.usage.items);
        for (key_of_part, items) in found.iter_mut().zip(used) {
            if key_of_part.is_none() && items > 0 {
                *key_of_part = Some(key);
            }
        }
    }
    let keys = found.map(|key| key.expect("one of eight keys lies in each half"));
    for n in 1..=40 {
        let text = format!(r#"{{"id":"busy","pk":"{}","n":{n}}}"#, keys[0]);
        account.upsert(&link, &text).await.unwrap();
    }
    (account, link, [children[0], children[1]], keys)
}

#[tokio::test]
async fn what_one_partition_has_trimmed_says_nothing_about_the_other_after_a_merge() {
    for trimmed_before_merge in [true, false] {
        let (account, link, children, keys) = busy_and_calm().await;
        let stale = {
            let range = FeedRange::PartitionKey(crate::verbs::key(keys[0]));
            let start = ChangeFeedStart::Now;
            account.changes_of(&link, range, ALL, start, 1).await.unwrap().continuation
        };
        let text = format!(r#"{{"id":"busy","pk":"{}","n":41}}"#, keys[0]);
        account.upsert(&link, &text).await.unwrap();
        account.upsert(&link, &text.replace("41", "42")).await.unwrap();
        let good = account.changes(&link, ALL, ChangeFeedStart::Now, 1).await.unwrap().continuation;
        let calm = format!(r#"{{"id":"calm","pk":"{}","n":1}}"#, keys[1]);
        account.upsert(&link, &calm).await.unwrap();
        if trimmed_before_merge {
            account.travel(1000);
            assert_eq!(account.engine.maintain_fully().await.unwrap().trimmed, 41);
        }
        account.merge(&link, children[0], children[1]).await.unwrap();
        if !trimmed_before_merge {
            account.travel(1000);
            assert_eq!(account.engine.maintain_fully().await.unwrap().trimmed, 41);
        }
        let account = account.reopened().await;
        account.upsert(&link, &calm.replace(":1", ":2")).await.unwrap();
        let expected = ["create calm 1 -", "replace calm 2 1"];
        assert_eq!(describe(&since(&account, &link, &good, 10).await), expected);
        let lost = |token: &str| {
            let start = ChangeFeedStart::Continuation(token.to_owned());
            let range = FeedRange::PartitionKey(crate::verbs::key(keys[0]));
            account.changes_of(&link, range, ALL, start, 1)
        };
        refused(lost(&stale).await, ErrorKind::ContinuationRefused);

        // The marks of both ranges go to the parts of the merged partition.
        let merged = account.engine.list_partitions(&link).await.unwrap().value.partitions;
        account.split(&link, merged[0].number).await.unwrap();
        assert_eq!(describe(&since(&account, &link, &good, 10).await), expected);
        refused(lost(&stale).await, ErrorKind::ContinuationRefused);
        account.verify().await;
    }
}
