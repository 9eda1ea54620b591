//! Listing page by page.

use engine::{ContainerLink, ErrorKind};
use model::{EpkRange, FeedRange, Throughput};

use crate::account::{Account, plain};
use crate::verbs::{ids, key, refused};

async fn filled(count: usize, throughput: Option<Throughput>) -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), throughput).await;
    for number in 0..count {
        let text = format!(r#"{{"id":"i{number}","pk":"p{}"}}"#, number % 7);
        account.create(&link, &text).await.unwrap();
    }
    (account, link)
}

#[tokio::test]
async fn pages_of_any_size_give_every_item_once() {
    let (account, link) = filled(60, Some(Throughput::Manual(30_000))).await;
    for items_max in [1, 2, 7, 59, 60, 61, 1000] {
        let mut found = ids(&account.list(&link, &FeedRange::Container, items_max).await);
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 60, "{items_max}");
    }
}

#[tokio::test]
async fn the_ranges_of_a_container_partition_its_items() {
    let (account, link) = filled(60, Some(Throughput::Manual(12_000))).await;
    let mut found = 0;
    for partition in account.engine.list_partitions(&link).await.unwrap().value.partitions {
        let (lower, upper) =
            partition.range.split_at(&partition.range.midpoint(&plain("c").partition_key)).unwrap();
        for range in [lower, upper] {
            found += account.list(&link, &FeedRange::Epk(range), 5).await.len();
        }
    }
    assert_eq!(found, 60);
    let nothing = EpkRange { min: EpkRange::full().max, max: EpkRange::full().max };
    assert!(account.list(&link, &FeedRange::Epk(nothing), 5).await.is_empty());
}

#[tokio::test]
async fn one_logical_partition_is_listed_in_the_order_of_creation() {
    let (account, link) = filled(60, None).await;
    let range = FeedRange::PartitionKey(key("p3"));
    let found = ids(&account.list(&link, &range, 4).await);
    let expected: Vec<_> = (3..60).step_by(7).map(|number| format!("i{number}")).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_page_ends_at_four_megabytes() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let long = "l".repeat(1_500_000);
    for number in 0..5 {
        let text = format!(r#"{{"id":"i{number}","pk":"x","long":"{long}"}}"#);
        account.create(&link, &text).await.unwrap();
    }
    let page = account.page(&link, &FeedRange::Container, 100, None).await.unwrap();
    assert_eq!(page.items.len(), 3);
    assert_eq!(account.list(&link, &FeedRange::Container, 100).await.len(), 5);
}

#[tokio::test]
async fn a_foreign_or_damaged_continuation_is_refused() {
    let (account, link) = filled(20, None).await;
    let other = account.container(plain("other")).await;
    let whole = FeedRange::Container;
    let token = account.page(&link, &whole, 5, None).await.unwrap().continuation.unwrap();
    let kind = ErrorKind::ContinuationRefused;
    refused(account.page(&other, &whole, 5, Some(token.clone())).await, kind);
    for damaged in ["", "x", &token[1..], &format!("{token}A")] {
        refused(account.page(&link, &whole, 5, Some(damaged.to_owned())).await, kind);
    }
    let mode = engine::change_feed::ChangeFeedMode::LatestVersion;
    let start = engine::change_feed::ChangeFeedStart::Continuation(token);
    refused(account.changes(&link, mode, start, 5).await, kind);
}

/// The token of one logical partition must not let the listing of another one wander.
#[tokio::test]
async fn the_continuation_of_another_feed_range_is_refused() {
    let (account, link) = filled(60, None).await;
    for from in 0..7 {
        for to in (0..7).filter(|to| *to != from) {
            let range = |number| FeedRange::PartitionKey(key(&format!("p{number}")));
            let page = account.page(&link, &range(from), 3, None).await.unwrap();
            let foreign = account.page(&link, &range(to), 100, page.continuation).await;
            refused(foreign, ErrorKind::ContinuationRefused);
        }
    }
}

#[tokio::test]
async fn items_written_and_deleted_between_pages_do_not_disturb_the_rest() {
    let (account, link) = filled(40, None).await;
    let whole = FeedRange::Container;
    let (mut found, mut continuation) = (Vec::new(), None);
    loop {
        let page = account.page(&link, &whole, 3, continuation).await.unwrap();
        found.extend(ids(&page.items));
        // What was listed goes away, also the very item the token names.
        for item in &page.items {
            let json = item.to_json();
            let pk = json.get("pk").unwrap().as_str().unwrap();
            account.delete(&link, pk, json.get("id").unwrap().as_str().unwrap()).await.unwrap();
        }
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
    }
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 40);
    assert_eq!(account.resource(&link).await.usage.items, 0);
    account.verify().await;
}

#[tokio::test]
async fn a_page_of_a_large_container_reads_no_more_than_the_page() {
    let store = crate::scripted_store::ScriptedStore::new();
    let account = Account::on(store.clone()).await;
    let link = account.container(plain("c")).await;
    for number in 0..3_000 {
        let text = format!(r#"{{"id":"i{number}","pk":"p{}"}}"#, number % 50);
        account.create(&link, &text).await.unwrap();
    }
    let before = store.entries_read();
    let first = account.page(&link, &FeedRange::Container, 100, None).await.unwrap();
    // The items and their entries in the list, of which one more shows that the list goes on.
    assert_eq!((first.items.len(), store.entries_read() - before), (100, 201));
    let before = store.entries_read();
    let second = account.page(&link, &FeedRange::Container, 100, first.continuation).await.unwrap();
    assert_eq!((second.items.len(), store.entries_read() - before), (100, 201));
}
