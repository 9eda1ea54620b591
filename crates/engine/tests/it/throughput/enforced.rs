//! Throughput that is enforced: who waits, how long, and who does not.

use std::time::Duration;

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use engine::operation::{
    BatchOperation, CreateContainer, CreateDatabase, SplitPartition, ThroughputOwner, WriteOptions,
};
use engine::query::QueryItems;
use engine::{ContainerLink, EngineSettings, ErrorKind, Result};
use model::{DatabaseId, DatabaseProperties, FeedRange, Throughput, TimeToLive};

use crate::account::{Account, json, plain, quiet};
use crate::verbs::refused;

fn strict() -> EngineSettings {
    EngineSettings { enforce_throughput: true, ..quiet() }
}

/// An account that enforces, and a container with two items in different physical partitions if it has two.
async fn enforced(throughput: Throughput) -> (Account, ContainerLink) {
    let account = Account::with_settings(strict()).await;
    let link = account.container_with(plain("c"), Some(throughput)).await;
    for name in ["a", "b", "c", "d"] {
        account.create(&link, &format!(r#"{{"id":"1","pk":"{name}"}}"#)).await.unwrap();
    }
    account.travel(1);
    (account, link)
}

fn delay<T: std::fmt::Debug>(result: Result<T>) -> u64 {
    match result.unwrap_err().kind() {
        ErrorKind::Throttled { retry_after_ms } => retry_after_ms,
        kind => panic!("{kind:?}"),
    }
}

/// Reads of one request unit until one is refused; with the delay it is told.
async fn reads(account: &Account, link: &ContainerLink, pk: &str) -> (u64, u64) {
    for done in 0..20_000 {
        let read = account.read(link, pk, "1").await;
        if read.is_err() {
            return (done, delay(read));
        }
    }
    panic!("never refused");
}

#[tokio::test]
async fn a_request_beyond_the_throughput_waits_and_then_succeeds() {
    let (account, link) = enforced(Throughput::Manual(4000)).await;
    let (done, wait) = reads(&account, &link, "a").await;
    // 4000 bring it to nothing, one more below.
    assert_eq!((done, wait), (4001, 1));
    let text =
        refused(account.read(&link, "a", "1").await, ErrorKind::Throttled { retry_after_ms: 1 });
    assert!(text.starts_with("Request rate is large. More Request Units may be needed"), "{text}");
    account.clock.travel(Duration::from_millis(wait));
    account.read(&link, "a", "1").await.unwrap();
    account.travel(1);
    assert_eq!(reads(&account, &link, "a").await.0, 4001, "a second later all of it is back");
}

#[tokio::test]
async fn without_being_asked_nothing_is_enforced() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"1","pk":"a"}"#).await.unwrap();
    for _ in 0..1000 {
        account.read(&link, "a", "1").await.unwrap();
    }
    assert!(!account.engine.throughput_enforced(&link).unwrap());
    account.engine.enforce_throughput(&link, Some(true)).await.unwrap();
    assert_eq!(reads(&account, &link, "a").await.0, 401);
    let account = account.reopened().await;
    assert!(account.engine.throughput_enforced(&link).unwrap(), "the choice is stored");
    account.engine.enforce_throughput(&link, None).await.unwrap();
    assert!(!account.engine.throughput_enforced(&link).unwrap());
}

#[tokio::test]
async fn a_hot_partition_waits_while_the_others_do_not() {
    let (account, link) = enforced(Throughput::Manual(12_000)).await;
    let (done, _) = reads(&account, &link, "a").await;
    assert_eq!(done, 6001, "half of the throughput");
    let mut served = 0;
    for pk in ["b", "c", "d"] {
        served += u32::from(account.read(&link, pk, "1").await.is_ok());
    }
    assert!(served > 0, "another physical partition still answers");
    assert!(served < 3 || account.read(&link, "a", "1").await.is_err());
}

#[tokio::test]
async fn a_split_divides_the_throughput_again() {
    let (account, link) = enforced(Throughput::Manual(12_000)).await;
    let split = SplitPartition { container: link.clone(), partition: 0, at: None };
    account.engine.split_partition(split).await.unwrap();
    account.travel(1);
    let (done, _) = reads(&account, &link, "a").await;
    assert_eq!(done, 4001, "a third");
}

#[tokio::test]
async fn one_partition_gives_ten_thousand_and_no_more() {
    let (account, link) = enforced(Throughput::Manual(400)).await;
    let owner = ThroughputOwner::Container(link.clone());
    account.engine.replace_throughput(&owner, Throughput::Manual(15_000)).await.unwrap();
    account.travel(1);
    assert_eq!(reads(&account, &link, "a").await.0, 10_001);
}

#[tokio::test]
async fn idle_throughput_is_a_burst() {
    let (account, link) = enforced(Throughput::Manual(400)).await;
    account.travel(600);
    let (done, _) = reads(&account, &link, "a").await;
    assert_eq!(done, 3001, "three thousand in a second");
    account.travel(1);
    assert_eq!(reads(&account, &link, "a").await.0, 3000, "and in the next");
}

#[tokio::test]
async fn autoscale_gives_its_maximum_at_once() {
    let (account, link) = enforced(Throughput::autoscale(5000).unwrap()).await;
    assert_eq!(reads(&account, &link, "a").await.0, 5001);
}

#[tokio::test]
async fn containers_of_a_database_share_one_bucket() {
    let account = Account::with_settings(strict()).await;
    let database = DatabaseId::new("shared").unwrap();
    let create = CreateDatabase {
        properties: DatabaseProperties { id: database.clone() },
        throughput: Some(Throughput::Manual(4000)),
    };
    account.engine.create_database(create).await.unwrap();
    let links = ["one", "two"].map(|id| ContainerLink::new("shared", id).unwrap());
    for link in &links {
        let properties = plain(link.container.as_str());
        let create = CreateContainer { database: database.clone(), properties, throughput: None };
        account.engine.create_container(create).await.unwrap();
        account.create(link, r#"{"id":"1","pk":"a"}"#).await.unwrap();
    }
    account.travel(1);
    assert_eq!(reads(&account, &links[0], "a").await.0, 4001);
    assert_eq!(delay(account.read(&links[1], "a", "1").await), 1, "the other spent it");
    let owner = ThroughputOwner::Database(database);
    account.engine.replace_throughput(&owner, Throughput::Manual(5000)).await.unwrap();
    let account = account.reopened().await;
    assert_eq!(reads(&account, &links[1], "a").await.0, 5001);
}

#[tokio::test]
async fn every_kind_of_request_pays_and_waits() {
    let (account, link) = enforced(Throughput::Manual(400)).await;
    let spent = || async {
        account.travel(1);
        while account.read(&link, "a", "1").await.is_ok() {}
    };
    spent().await;
    let item = r#"{"id":"2","pk":"a"}"#;
    delay(account.create(&link, item).await);
    delay(account.upsert(&link, item).await);
    delay(account.replace(&link, "1", r#"{"id":"1","pk":"a"}"#).await);
    delay(account.delete(&link, "a", "1").await);
    delay(account.patch(&link, ("a", "1"), r#"[{"op":"add","path":"/x","value":1}]"#).await);
    let create =
        BatchOperation::Create { item: json(item).into(), options: WriteOptions::default() };
    delay(account.batch(&link, "a", vec![create]).await);
    delay(account.delete_partition(&link, "a").await);
    delay(account.page(&link, &FeedRange::Container, 10, None).await);
    delay(account.engine.query_items(QueryItems::new(link.clone(), "SELECT * FROM c")).await);
    let feed = ReadChangeFeed {
        container: link.clone(),
        feed_range: FeedRange::Container,
        mode: ChangeFeedMode::LatestVersion,
        start: ChangeFeedStart::Beginning,
        items_max: None,
    };
    delay(account.engine.read_change_feed(feed).await);
    account.travel(1);
    assert!(account.read(&link, "a", "2").await.is_err(), "nothing was written");
}

#[tokio::test]
async fn a_refused_batch_writes_nothing_and_an_expensive_one_is_paid_by_those_after_it() {
    let (account, link) = enforced(Throughput::Manual(4000)).await;
    let large = "x".repeat(100_000);
    let operations = (0..15).map(|number| BatchOperation::Create {
        item: json(&format!(r#"{{"id":"n{number}","pk":"a","text":"{large}"}}"#)).into(),
        options: WriteOptions::default(),
    });
    let batch = engine::operation::TransactionalBatch {
        container: link.clone(),
        partition_key: "a".into(),
        operations: operations.collect(),
    };
    let mut spent = 0;
    for round in 0..6 {
        let mut batch = batch.clone();
        for operation in &mut batch.operations {
            let BatchOperation::Create { item, .. } = operation else { continue };
            let model::Json::Object(mut object) = item.value().clone() else { continue };
            let id = object.get("id").and_then(model::Json::as_str).unwrap();
            let id = format!("{id}-{round}");
            object.insert("id", id);
            *item = model::Json::Object(object).into();
        }
        spent += account.engine.transactional_batch(batch).await.unwrap().charge.units();
    }
    let missing_ms = (spent - 4000 * 21).div_ceil(4 * 21);
    assert_eq!(delay(account.read(&link, "a", "1").await), missing_ms);
}

#[tokio::test]
async fn reclaiming_expired_items_takes_what_is_left_over() {
    let account = Account::with_settings(strict()).await;
    let mut properties = plain("c");
    properties.default_time_to_live = TimeToLive::Seconds(10);
    let link = account.container(properties).await;
    for number in 0..200 {
        if number % 50 == 0 {
            account.travel(1);
        }
        account.create(&link, &format!(r#"{{"id":"{number}","pk":"a"}}"#)).await.unwrap();
    }
    account.travel(60);
    for _ in 0..398 {
        refused(account.read(&link, "a", "none").await, ErrorKind::NotFound);
    }
    let report = account.engine.maintain_fully().await.unwrap();
    assert_eq!(report.expired, 0, "two request units are not enough for one delete");
    account.travel(1);
    let report = account.engine.maintain_fully().await.unwrap();
    assert!((60..=80).contains(&report.expired), "{report:?}");
    // What was reclaimed was paid: a request waits.
    let mut rounds = 1;
    while account.resource(&link).await.usage.items > 0 {
        account.travel(1);
        account.engine.maintain_fully().await.unwrap();
        rounds += 1;
    }
    assert!((3..=5).contains(&rounds), "{rounds}");
    account.verify().await;
}
