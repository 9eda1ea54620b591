//! Splits and merges, one at a time: ranges, parents, lsns, what stays readable.

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart};
use engine::operation::SplitPartition;
use engine::response::PartitionResource;
use engine::{ContainerLink, ErrorKind};
use model::{EffectivePartitionKey, FeedRange, Throughput};

use crate::account::{Account, plain};
use crate::change_feed::drain;
use crate::verbs::{ids, key, own, refused};

async fn filled(items: usize) -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for number in 0..items {
        let text = format!(r#"{{"id":"i{number}","pk":"p{number}","n":{number}}}"#);
        account.create(&link, &text).await.unwrap();
    }
    (account, link)
}

async fn partitions(account: &Account, link: &ContainerLink) -> Vec<PartitionResource> {
    account.engine.list_partitions(link).await.unwrap().value.partitions
}

async fn all(account: &Account, link: &ContainerLink) -> Vec<String> {
    let mut all: Vec<_> =
        account.list(link, &FeedRange::Container, 7).await.iter().map(own).collect();
    all.sort();
    all
}

#[tokio::test]
async fn a_split_shows_two_children_that_follow_their_parent() {
    let (account, link) = filled(40).await;
    let before = account.engine.list_partitions(&link).await.unwrap().value;
    let items = all(&account, &link).await;
    assert_eq!(account.split(&link, 0).await.unwrap(), [1, 2]);
    let after = account.engine.list_partitions(&link).await.unwrap().value;
    assert!(after.generation > before.generation);
    let [lower, upper] = &after.partitions[..] else { panic!("{after:?}") };
    assert_eq!((lower.number, upper.number), (1, 2));
    assert_eq!(
        (lower.range.min.to_string(), upper.range.max.to_string()),
        ("".into(), "FF".into())
    );
    assert_eq!(lower.range.max, upper.range.min);
    for child in [lower, upper] {
        assert_eq!(child.parents, [0]);
        assert!(child.lsn > before.partitions[0].lsn);
        assert!(child.usage.items > 0);
    }
    assert_eq!(lower.usage.items + upper.usage.items, 40);
    assert_eq!(all(&account, &link).await, items);
    refused(account.split(&link, 0).await, ErrorKind::PartitionGone);
    account.verify().await;
    let account = account.reopened().await;
    assert_eq!(account.engine.list_partitions(&link).await.unwrap().value, after);
    assert_eq!(all(&account, &link).await, items);
}

#[tokio::test]
async fn a_merge_shows_one_child_of_both_and_all_their_parents() {
    let (account, link) = filled(40).await;
    let items = all(&account, &link).await;
    account.split(&link, 0).await.unwrap();
    account.split(&link, 1).await.unwrap();
    let merged = account.merge(&link, 4, 3).await.unwrap();
    let shown = partitions(&account, &link).await;
    assert_eq!(shown.len(), 2);
    assert_eq!((shown[0].number, merged), (5, 5));
    assert_eq!(shown[0].parents, [0, 1, 3, 4], "each one once, oldest first");
    assert_eq!(all(&account, &link).await, items);
    account.verify().await;
    account.engine.maintain_fully().await.unwrap();
    assert_eq!(all(&account, &link).await, items);
    account.verify().await;
}

#[tokio::test]
async fn what_cannot_be_split_or_merged_is_refused_and_left_alone() {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), Some(Throughput::Manual(18_000))).await;
    let before = account.engine.list_partitions(&link).await.unwrap().value;
    refused(account.merge(&link, 0, 2).await, ErrorKind::Invalid);
    refused(account.merge(&link, 0, 0).await, ErrorKind::Invalid);
    refused(account.merge(&link, 0, 9).await, ErrorKind::PartitionGone);
    refused(account.split(&link, 9).await, ErrorKind::PartitionGone);
    for outside in ["", "FF", "3FFF"] {
        let at = Some(EffectivePartitionKey::from_hex(outside).unwrap());
        let split = SplitPartition { container: link.clone(), partition: 0, at };
        refused(account.engine.split_partition(split).await, ErrorKind::Invalid);
    }
    let missing = ContainerLink::new("d", "none").unwrap();
    refused(account.split(&missing, 0).await, ErrorKind::OwnerNotFound);
    assert_eq!(account.engine.list_partitions(&link).await.unwrap().value, before);
    account.verify().await;
}

#[tokio::test]
async fn a_listing_goes_on_across_splits_and_merges() {
    let (account, link) = filled(60).await;
    let (mut found, mut continuation) = (Vec::new(), None);
    for round in 0.. {
        let page = account.page(&link, &FeedRange::Container, 4, continuation).await.unwrap();
        found.extend(ids(&page.items));
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
        let shown = partitions(&account, &link).await;
        if round % 3 == 2 {
            account.merge(&link, shown[0].number, shown[1].number).await.unwrap();
        } else {
            account.split(&link, shown[round % shown.len()].number).await.unwrap();
        }
        account.engine.maintain_fully().await.unwrap();
    }
    assert_eq!(found.len(), 60);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 60);
    account.verify().await;
}

#[tokio::test]
async fn a_position_of_before_delivers_everything_after_splits_and_merges() {
    let (account, link) = filled(30).await;
    let mode = ChangeFeedMode::LatestVersion;
    let start = account.changes(&link, mode, ChangeFeedStart::Now, 10).await.unwrap();
    let write = |name: &'static str, count: usize| {
        let (account, link) = (&account, &link);
        async move {
            for number in 0..count {
                let text = format!(r#"{{"id":"{name}{number}","pk":"p{number}"}}"#);
                account.upsert(link, &text).await.unwrap();
            }
        }
    };
    write("before", 7).await;
    let children = account.split(&link, 0).await.unwrap();
    write("between", 9).await;
    let middle = account.changes(&link, mode, ChangeFeedStart::Now, 10).await.unwrap();
    account.merge(&link, children[0], children[1]).await.unwrap();
    account.engine.maintain_fully().await.unwrap();
    write("after", 5).await;
    for items_max in [1, 4, 100] {
        for (position, expected) in [(&start.continuation, 21), (&middle.continuation, 5)] {
            let from = ChangeFeedStart::Continuation(position.clone());
            let drained = drain(&account, &link, &FeedRange::Container, mode, from, items_max);
            let mut names: Vec<_> =
                drained.await.0.iter().map(|change| change.id().to_owned()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), expected, "{names:?}");
        }
    }
    let range = FeedRange::PartitionKey(key("p3"));
    let from = ChangeFeedStart::Continuation(start.continuation);
    let (changes, _) = drain(&account, &link, &range, mode, from, 1).await;
    let names: Vec<_> = changes.iter().map(|change| change.id()).collect();
    assert_eq!(names, ["before3", "between3", "after3"]);
}

/// Items that change while they are copied may have shared their shape with items that do not.
#[tokio::test]
async fn a_shape_survives_the_item_that_leaves_it_during_a_split() {
    let store = crate::scripted_store::ScriptedStore::new();
    let account = Account::on(store.clone()).await;
    let link = account.container(plain("c")).await;
    for number in 0..300 {
        let text = format!(r#"{{"id":"i{number:03}","pk":"x","n":1}}"#);
        account.create(&link, &text).await.unwrap();
    }
    let gate = store.gate(storage::Shard(1), "items");
    gate.add_permits(1);
    let (engine, container) = (account.engine.clone(), link.clone());
    let split = tokio::spawn(async move {
        engine.split_partition(SplitPartition { container, partition: 0, at: None }).await
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    account.upsert(&link, r#"{"id":"i000","pk":"x","other":1}"#).await.unwrap();
    account.delete(&link, "x", "i001").await.unwrap();
    account.delete(&link, "x", "i299").await.unwrap();
    account.create(&link, r#"{"id":"new","pk":"x","ttl":5}"#).await.unwrap();
    gate.add_permits(10_000);
    split.await.unwrap().unwrap();
    assert_eq!(account.resource(&link).await.usage.items, 299);
    account.verify().await;
}

#[tokio::test]
async fn an_ordinal_never_repeats() {
    let (account, link) = filled(10).await;
    let mut rids = std::collections::HashSet::new();
    let mut number = 0;
    for _ in 0..6 {
        for _ in 0..10 {
            number += 1;
            let text = format!(r#"{{"id":"r{number}","pk":"p{number}"}}"#);
            let item = account.create(&link, &text).await.unwrap().to_json();
            assert!(rids.insert(item.get("_rid").unwrap().to_string()));
        }
        let shown = partitions(&account, &link).await;
        if shown.len() < 3 {
            account.split(&link, shown[0].number).await.unwrap();
        } else {
            account.merge(&link, shown[0].number, shown[1].number).await.unwrap();
        }
    }
    account.verify().await;
}
