//! The past of a container, within its retention.

use engine::operation::{DeleteItem, UpsertItem};
use engine::{ContainerLink, ErrorKind};
use model::{ItemId, PartitionKey, TimestampSeconds};

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
    let upsert =
        UpsertItem { container: link.clone(), partition_key: None, item: json(text), options };
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
