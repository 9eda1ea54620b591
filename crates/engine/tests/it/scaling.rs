//! Splits in the background: for throughput, and of partitions that are too large or too hot.

use std::time::Duration;

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart};
use engine::operation::{PageOptions, ThroughputOwner};
use engine::query::QueryItems;
use engine::response::{PartitionResource, ThroughputResource};
use engine::{AutoSplit, ContainerLink, DueSplits, EngineSettings, ErrorKind};
use model::{EpkRange, FeedRange, PartitionKeyDefinition, Throughput};

use crate::account::{Account, plain, settings_without_maintenance};
use crate::change_feed::drain;
use crate::verbs::{ids, own, read_of, refused};

async fn fill(account: &Account, items: usize, partition_keys: usize) -> ContainerLink {
    let link = account.container(plain("c")).await;
    for number in 0..items {
        let key = number % partition_keys;
        let text = format!(r#"{{"id":"i{number}","pk":"p{key}","n":{number}}}"#);
        account.create(&link, &text).await.unwrap();
    }
    link
}

async fn scale(account: &Account, link: &ContainerLink, per_second: u32) -> ThroughputResource {
    let owner = ThroughputOwner::Container(link.clone());
    let throughput = Throughput::Manual(per_second);
    account.engine.replace_throughput(&owner, throughput).await.unwrap().value
}

async fn is_pending(account: &Account, link: &ContainerLink) -> bool {
    let owner = ThroughputOwner::Container(link.clone());
    account.engine.read_throughput(&owner).await.unwrap().value.unwrap().pending
}

async fn partitions(account: &Account, link: &ContainerLink) -> Vec<PartitionResource> {
    account.engine.list_partitions(link).await.unwrap().value.partitions
}

async fn ranges(account: &Account, link: &ContainerLink) -> Vec<EpkRange> {
    partitions(account, link).await.into_iter().map(|partition| partition.range).collect()
}

async fn all(account: &Account, link: &ContainerLink) -> Vec<String> {
    let listed = account.list(link, &FeedRange::Container, 7).await;
    let mut all: Vec<_> = listed.iter().map(own).collect();
    all.sort();
    all
}

fn by_throughput(splits: usize) -> DueSplits {
    DueSplits { by_throughput: splits, ..DueSplits::default() }
}

fn equal_parts(parts: usize) -> Vec<EpkRange> {
    EpkRange::equal_parts(parts, &PartitionKeyDefinition::single("/pk").unwrap())
}

#[tokio::test]
async fn more_throughput_splits_partitions_and_less_leaves_them() {
    let account = Account::new().await;
    let link = fill(&account, 40, 40).await;
    let items = all(&account, &link).await;
    assert!(!scale(&account, &link, 10_000).await.pending);
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), DueSplits::default());
    assert!(scale(&account, &link, 11_000).await.pending);
    let listed = account.engine.list_partitions(&link).await.unwrap().value;
    assert_eq!((listed.partitions.len(), listed.partitions_min), (1, 2));
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), by_throughput(1));
    assert!(!is_pending(&account, &link).await);
    assert_eq!(ranges(&account, &link).await, equal_parts(2));
    assert!(scale(&account, &link, 25_000).await.pending);
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), by_throughput(1));
    let three = ranges(&account, &link).await;
    assert_eq!(three.len(), 3);
    assert_eq!(all(&account, &link).await, items);
    assert!(!scale(&account, &link, 400).await.pending);
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), DueSplits::default());
    assert_eq!(ranges(&account, &link).await, three);
    account.verify().await;
    account.engine.maintain_fully().await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn one_partition_becomes_equal_parts_at_once() {
    let account = Account::new().await;
    let link = fill(&account, 30, 30).await;
    let items = all(&account, &link).await;
    scale(&account, &link, 50_000).await;
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), by_throughput(1));
    assert_eq!(ranges(&account, &link).await, equal_parts(5));
    let shown = partitions(&account, &link).await;
    assert!(shown.iter().all(|partition| partition.parents == [0]));
    assert_eq!(shown.iter().map(|partition| partition.usage.items).sum::<u64>(), 30);
    assert_eq!(all(&account, &link).await, items);
    account.verify().await;
}

/// Reads two pages of a query, lets a split happen, and reads the others.
async fn query_across(
    account: &Account,
    link: &ContainerLink,
    text: &str,
    continuation: Option<String>,
    pages: usize,
) -> (Vec<String>, Option<String>) {
    let (mut rows, mut continuation) = (Vec::new(), continuation);
    for _ in 0..pages {
        let mut query = QueryItems::new(link.clone(), text);
        query.page = PageOptions { items_max: Some(3), continuation };
        let page = account.engine.query_items(query).await.unwrap().value;
        rows.extend(page.rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()));
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
    }
    (rows, continuation)
}

#[tokio::test]
async fn what_clients_have_begun_goes_on_after_a_split_into_five() {
    let account = Account::new().await;
    let link = fill(&account, 40, 40).await;
    let texts = [
        "SELECT VALUE c.n FROM c",
        "SELECT VALUE c.n FROM c WHERE c.n >= 0",
        "SELECT VALUE c.n FROM c WHERE STARTSWITH(c.id, 'i')",
        "SELECT VALUE c.n FROM c ORDER BY c.n",
    ];
    let mut begun = Vec::new();
    for text in texts {
        begun.push(query_across(&account, &link, text, None, 2).await);
    }
    let listed = account.page(&link, &FeedRange::Container, 3, None).await.unwrap();
    let mode = ChangeFeedMode::LatestVersion;
    let now = account.changes(&link, mode, ChangeFeedStart::Now, 10).await.unwrap();
    let read = account.engine.read_item(read_of(&link, "p7", "i7")).await.unwrap();
    account.upsert(&link, r#"{"id":"i7","pk":"p7","n":7,"changed":true}"#).await.unwrap();
    scale(&account, &link, 50_000).await;
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), by_throughput(1));
    account.engine.maintain_fully().await.unwrap();
    for (text, (mut rows, continuation)) in texts.into_iter().zip(begun) {
        rows.extend(query_across(&account, &link, text, continuation, 100).await.0);
        let mut numbers: Vec<u32> = rows.iter().map(|row| row.parse().unwrap()).collect();
        if !text.contains("ORDER BY") {
            numbers.sort_unstable();
        }
        assert_eq!(numbers, (0..40).collect::<Vec<_>>(), "{text}");
    }
    let mut names = ids(&listed.items);
    let mut continuation = listed.continuation;
    while continuation.is_some() {
        let page = account.page(&link, &FeedRange::Container, 3, continuation).await.unwrap();
        names.extend(ids(&page.items));
        continuation = page.continuation;
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 40);
    let from = ChangeFeedStart::Continuation(now.continuation);
    let (changes, _) = drain(&account, &link, &FeedRange::Container, mode, from, 2).await;
    let changed: Vec<_> = changes.iter().map(|change| change.id()).collect();
    assert_eq!(changed, ["i7"]);
    let mut again = read_of(&link, "p7", "i7");
    again.options.session_token = read.session_token;
    account.engine.read_item(again).await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn what_is_due_is_known_after_a_restart() {
    let account = Account::new().await;
    let link = fill(&account, 20, 20).await;
    scale(&account, &link, 21_000).await;
    let account = account.reopened().await;
    assert!(is_pending(&account, &link).await);
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), by_throughput(1));
    let account = account.reopened().await;
    assert_eq!(ranges(&account, &link).await, equal_parts(3));
    account.verify().await;
}

#[tokio::test]
async fn the_background_splits_without_being_asked() {
    let account = Account::with_settings(EngineSettings {
        // Far away: the change of throughput wakes it.
        maintenance_every_ms: 3_600_000,
        ..EngineSettings::default()
    })
    .await;
    let link = fill(&account, 20, 20).await;
    assert!(scale(&account, &link, 25_000).await.pending);
    // Only against a hang.
    for _ in 0..3000 {
        if !is_pending(&account, &link).await {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(ranges(&account, &link).await, equal_parts(3));
    account.verify().await;
}

#[tokio::test]
async fn a_merge_that_the_throughput_forbids_is_refused() {
    let account = Account::new().await;
    let link = fill(&account, 10, 10).await;
    scale(&account, &link, 11_000).await;
    account.engine.split_due_partitions().await.unwrap();
    let message = refused(account.merge(&link, 1, 2).await, ErrorKind::Invalid);
    assert!(message.contains("needs 2 physical partitions"), "{message}");
    scale(&account, &link, 10_000).await;
    assert_eq!(account.merge(&link, 1, 2).await.unwrap(), 3);
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), DueSplits::default());
    account.verify().await;
}

#[tokio::test]
async fn the_progress_of_a_split_is_shown_and_closing_ends_it() {
    let store = crate::scripted_store::ScriptedStore::new();
    let account = Account::on(store.clone()).await;
    let link = fill(&account, 600, 100).await;
    assert_eq!(account.engine.list_partitions(&link).await.unwrap().value.restructuring, None);
    scale(&account, &link, 11_000).await;
    let gate = store.gate(storage::Shard(1), "items");
    gate.add_permits(1);
    let engine = account.engine.clone();
    let split = tokio::spawn(async move { engine.split_due_partitions().await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let listed = account.engine.list_partitions(&link).await.unwrap().value;
    let shown = listed.restructuring.unwrap();
    assert_eq!((shown.partitions, shown.into, shown.items_total), (vec![0], 2, 600));
    assert!(shown.items_copied > 0 && shown.items_copied < 600, "{}", shown.items_copied);
    let engine = account.engine.clone();
    let close = tokio::spawn(async move { engine.close().await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    gate.add_permits(10_000);
    assert!(split.await.unwrap().is_err());
    close.await.unwrap().unwrap();
}

fn auto_split(item_bytes_max: u64, request_units_max: u32) -> EngineSettings {
    let rule = AutoSplit { item_bytes_max, request_units_max };
    EngineSettings { auto_split: Some(rule), ..settings_without_maintenance() }
}

#[tokio::test]
async fn a_partition_that_is_too_large_is_split_until_none_is() {
    let account = Account::with_settings(auto_split(4000, u32::MAX)).await;
    let link = fill(&account, 100, 100).await;
    let items = all(&account, &link).await;
    let mut splits = 0;
    loop {
        let done = account.engine.split_due_partitions().await.unwrap();
        assert_eq!((done.by_throughput, done.by_heat), (0, 0));
        splits += done.by_size;
        if done.by_size == 0 {
            break;
        }
    }
    let shown = partitions(&account, &link).await;
    assert!(splits > 2 && shown.len() == splits + 1, "{splits}");
    assert!(shown.iter().all(|partition| partition.usage.item_bytes <= 4000), "{shown:?}");
    assert!(shown.iter().all(|partition| partition.usage.items > 0), "{shown:?}");
    assert_eq!(all(&account, &link).await, items);
    account.verify().await;
}

#[tokio::test]
async fn one_logical_partition_is_never_split_however_large() {
    let account = Account::with_settings(auto_split(1000, u32::MAX)).await;
    let link = fill(&account, 50, 1).await;
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), DueSplits::default());
    account.create(&link, r#"{"id":"other","pk":"other"}"#).await.unwrap();
    let done = account.engine.split_due_partitions().await.unwrap();
    assert_eq!(done.by_size, 1);
    assert_eq!(account.engine.split_due_partitions().await.unwrap(), DueSplits::default());
    assert_eq!(partitions(&account, &link).await.len(), 2);
    account.verify().await;
}

/// Reads for a minute of simulated time: point reads, each of one request unit, over so many logical partitions.
async fn minute(account: &Account, link: &ContainerLink, reads: usize, keys: usize) -> DueSplits {
    for number in 0..reads {
        let number = number % keys;
        account.read(link, &format!("p{number}"), &format!("i{number}")).await.unwrap();
    }
    account.travel(60);
    account.engine.split_due_partitions().await.unwrap()
}

#[tokio::test]
async fn a_partition_that_is_hot_for_five_minutes_is_split() {
    let account = Account::with_settings(auto_split(u64::MAX, 10)).await;
    let link = fill(&account, 8, 8).await;
    account.engine.split_due_partitions().await.unwrap();
    for round in 0..4 {
        assert_eq!(minute(&account, &link, 600, 8).await.by_heat, 0, "minute {round}");
    }
    // One minute of less begins a new count.
    assert_eq!(minute(&account, &link, 590, 8).await.by_heat, 0);
    for round in 0..4 {
        assert_eq!(minute(&account, &link, 600, 8).await.by_heat, 0, "minute {round}");
    }
    assert_eq!(minute(&account, &link, 600, 8).await.by_heat, 1);
    assert_eq!(partitions(&account, &link).await.len(), 2);
    // Both halves are new: each would have to be hot for five minutes of its own.
    assert_eq!(minute(&account, &link, 600, 8).await.by_heat, 0);
    account.verify().await;
}

#[tokio::test]
async fn how_often_it_looks_does_not_matter() {
    let account = Account::with_settings(auto_split(u64::MAX, 10)).await;
    let link = fill(&account, 8, 8).await;
    account.engine.split_due_partitions().await.unwrap();
    let mut split = Vec::new();
    for third in 0..15 {
        for number in 0..200 {
            let number = number % 8;
            account.read(&link, &format!("p{number}"), &format!("i{number}")).await.unwrap();
        }
        account.travel(20);
        if account.engine.split_due_partitions().await.unwrap().by_heat > 0 {
            split.push(third);
        }
    }
    assert_eq!(split, [14], "at the end of the fifth minute");
    account.verify().await;
}

#[tokio::test]
async fn one_hot_logical_partition_is_not_worth_a_split() {
    let account = Account::with_settings(auto_split(u64::MAX, 10)).await;
    let link = fill(&account, 8, 8).await;
    account.engine.split_due_partitions().await.unwrap();
    for _ in 0..12 {
        assert_eq!(minute(&account, &link, 700, 1).await.by_heat, 0);
    }
    assert_eq!(partitions(&account, &link).await.len(), 1);
}
