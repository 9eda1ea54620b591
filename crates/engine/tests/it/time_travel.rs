//! The past of a container, within its retention.

use engine::operation::{DeleteItem, UpsertItem};
use engine::{ContainerLink, ErrorKind};
use model::{ChangeFeedPolicy, ItemId, PartitionKey, TimestampSeconds};

use crate::account::{Account, START, json, plain};

async fn at(account: &Account, link: &ContainerLink, second: u64) -> Vec<String> {
    let time = TimestampSeconds(START.seconds().0 + second);
    let mut snapshot = account.engine.snapshot_at(link, time).await.unwrap();
    let mut found = Vec::new();
    while let Some(items) = snapshot.next().await.unwrap() {
        found.extend(items.iter().map(|item| {
            let item = item.to_json();
            format!("{}={}", item.get("id").unwrap().as_str().unwrap(), item.get("n").unwrap())
        }));
    }
    found.sort();
    found
}

async fn upsert(account: &Account, link: &ContainerLink, text: &str) {
    let options = Default::default();
    let upsert = UpsertItem {
        container: link.clone(),
        partition_key: None,
        item: json(text).into(),
        options,
    };
    account.engine.upsert_item(upsert).await.unwrap();
}

#[tokio::test]
async fn every_second_of_the_retention_can_be_visited() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":1}"#).await;
    account.travel(10);
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":2}"#).await;
    upsert(&account, &link, r#"{"id":"b","pk":"y","n":1}"#).await;
    account.travel(10);
    let delete = DeleteItem {
        container: link.clone(),
        partition_key: PartitionKey::from("x"),
        id: ItemId::new("a").unwrap(),
        options: Default::default(),
    };
    account.engine.delete_item(delete).await.unwrap();
    account.travel(10);
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":3}"#).await;
    account.travel(5);

    assert_eq!(at(&account, &link, 0).await, ["a=1"]);
    assert_eq!(at(&account, &link, 9).await, ["a=1"]);
    assert_eq!(at(&account, &link, 10).await, ["a=2", "b=1"]);
    assert_eq!(at(&account, &link, 20).await, ["b=1"]);
    assert_eq!(at(&account, &link, 30).await, ["a=3", "b=1"]);
    assert_eq!(at(&account, &link, 35).await, ["a=3", "b=1"]);
}

#[tokio::test]
async fn before_the_retention_and_in_the_future_there_is_nothing_to_visit() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.travel(1000);
    for second in [0, 699, 1001] {
        let time = TimestampSeconds(START.seconds().0 + second);
        let error = account.engine.snapshot_at(&link, time).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{second}");
    }
    let time = TimestampSeconds(START.seconds().0 + 700);
    assert!(account.engine.snapshot_at(&link, time).await.is_ok());
}

async fn keep(account: &Account, link: &ContainerLink, minutes: u32) {
    let policy = Some(ChangeFeedPolicy::new(minutes));
    account.alter(link, move |properties| properties.change_feed_policy = policy).await.unwrap();
}

async fn refused_at(account: &Account, link: &ContainerLink, second: u64) -> String {
    let time = TimestampSeconds(START.seconds().0 + second);
    let error = account.engine.snapshot_at(link, time).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{second}");
    error.to_string()
}

#[tokio::test]
async fn a_second_whose_versions_were_not_kept_is_refused_with_the_first_that_is_complete() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":1}"#).await;
    account.travel(10);
    keep(&account, &link, 0).await;
    upsert(&account, &link, r#"{"id":"b","pk":"x","n":1}"#).await;
    keep(&account, &link, 10).await;
    account.travel(10);
    assert_eq!(at(&account, &link, 0).await, ["a=1"], "a creation loses nothing");

    keep(&account, &link, 0).await;
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":2}"#).await;
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":3}"#).await;
    keep(&account, &link, 10).await;
    account.travel(10);
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":4}"#).await;
    let account = account.reopened().await;
    for second in [0, 10, 19] {
        let text = refused_at(&account, &link, second).await;
        let complete = format!("the second {}, from which on", START.seconds().0 + 20);
        assert!(text.contains(&complete), "{text}");
    }
    assert_eq!(at(&account, &link, 20).await, ["a=3", "b=1"]);
    assert_eq!(at(&account, &link, 30).await, ["a=4", "b=1"]);

    // A split and a merge keep it.
    let children = account.split(&link, 0).await.unwrap();
    refused_at(&account, &link, 19).await;
    account.merge(&link, children[0], children[1]).await.unwrap();
    refused_at(&account, &link, 19).await;
    assert_eq!(at(&account, &link, 20).await, ["a=3", "b=1"]);
}

#[tokio::test]
async fn a_longer_retention_does_not_bring_back_what_a_shorter_one_has_trimmed() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":1}"#).await;
    account.travel(10);
    upsert(&account, &link, r#"{"id":"a","pk":"x","n":2}"#).await;
    account.travel(100);
    keep(&account, &link, 1).await;
    assert_eq!(account.engine.maintain_fully().await.unwrap().trimmed, 1);
    keep(&account, &link, 10).await;
    let text = refused_at(&account, &link, 9).await;
    assert!(text.contains(&format!("the second {},", START.seconds().0 + 10)), "{text}");
    assert_eq!(at(&account, &link, 10).await, ["a=2"]);
}
