//! Transactional batches: all or nothing, one lsn, each operation sees those before it.

use engine::operation::{BatchOperation, WriteOptions};
use engine::response::{BatchEffect, BatchOperationResult, BatchResult, ReadResult};
use engine::{ContainerLink, ErrorKind};
use model::{EtagPattern, FeedRange, Precondition};

use crate::account::{Account, json, plain};
use crate::verbs::{id, if_match, own, patch_of, refused};

fn create(text: &str) -> BatchOperation {
    BatchOperation::Create { item: json(text).into(), options: WriteOptions::default() }
}

fn upsert(text: &str) -> BatchOperation {
    BatchOperation::Upsert { item: json(text).into(), options: WriteOptions::default() }
}

fn replace(name: &str, text: &str, options: WriteOptions) -> BatchOperation {
    BatchOperation::Replace { id: id(name), item: json(text).into(), options }
}

fn increment(name: &str) -> BatchOperation {
    let patch = patch_of(r#"[{"op":"incr","path":"/n","value":1}]"#, None);
    BatchOperation::Patch { id: id(name), patch, options: WriteOptions::default() }
}

fn delete(name: &str) -> BatchOperation {
    BatchOperation::Delete { id: id(name), options: WriteOptions::default() }
}

fn read(name: &str) -> BatchOperation {
    BatchOperation::Read { id: id(name), precondition: None }
}

#[track_caller]
fn committed(outcome: BatchResult) -> Vec<BatchOperationResult> {
    match outcome {
        BatchResult::Committed(answers) => answers,
        BatchResult::RolledBack { failed, error, .. } => panic!("operation {failed}: {error}"),
    }
}

#[track_caller]
fn rolled_back(outcome: BatchResult) -> (usize, ErrorKind) {
    match outcome {
        BatchResult::Committed(answers) => panic!("{answers:?}"),
        BatchResult::RolledBack { failed, error, .. } => (failed, error.kind()),
    }
}

async fn filled() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for name in ["a", "b", "c"] {
        let text = format!(r#"{{"id":"{name}","pk":"x","n":1}}"#);
        account.create(&link, &text).await.unwrap();
    }
    (account, link)
}

async fn contents(account: &Account, link: &ContainerLink) -> Vec<String> {
    account.list(link, &FeedRange::Container, 100).await.iter().map(own).collect()
}

#[tokio::test]
async fn every_kind_of_operation_works_and_all_share_one_lsn() {
    let (account, link) = filled().await;
    let operations = vec![
        create(r#"{"id":"d","pk":"x","n":5}"#),
        upsert(r#"{"id":"a","pk":"x","n":2}"#),
        upsert(r#"{"id":"e","pk":"x"}"#),
        replace("b", r#"{"id":"b","pk":"x","n":7}"#, WriteOptions::default()),
        increment("b"),
        read("b"),
        delete("c"),
    ];
    let answers = committed(account.batch(&link, "x", operations).await.unwrap());
    let lsn = account.engine.list_partitions(&link).await.unwrap().value.partitions[0].lsn;
    assert_eq!(lsn.0, 4);
    let mut seen = Vec::new();
    for answer in &answers {
        match &answer.effect {
            BatchEffect::Created(item) => {
                assert_eq!(item.lsn(), lsn);
                seen.push("created");
            }
            BatchEffect::Replaced(item) => {
                assert_eq!(item.lsn(), lsn);
                seen.push("replaced");
            }
            BatchEffect::Deleted => seen.push("deleted"),
            BatchEffect::Read(ReadResult::Found(item)) => {
                assert_eq!((item.lsn(), own(item).as_str()), (lsn, r#"{"id":"b","pk":"x","n":8}"#));
                seen.push("read");
            }
            BatchEffect::Read(other) => panic!("{other:?}"),
        }
    }
    let expected = ["created", "replaced", "created", "replaced", "replaced", "read", "deleted"];
    assert_eq!(seen, expected);
    let expected = [
        r#"{"id":"a","pk":"x","n":2}"#,
        r#"{"id":"b","pk":"x","n":8}"#,
        r#"{"id":"d","pk":"x","n":5}"#,
        r#"{"id":"e","pk":"x"}"#,
    ];
    assert_eq!(contents(&account, &link).await, expected);
    account.verify().await;
}

#[tokio::test]
async fn one_failure_rolls_everything_back() {
    let (account, link) = filled().await;
    let before = contents(&account, &link).await;
    let lsn = account.engine.list_partitions(&link).await.unwrap().value;
    let stale = if_match("\"stale\"");
    let table = [
        (create(r#"{"id":"a","pk":"x"}"#), ErrorKind::Conflict),
        (replace("z", r#"{"id":"z","pk":"x"}"#, WriteOptions::default()), ErrorKind::NotFound),
        (replace("a", r#"{"id":"c","pk":"x"}"#, WriteOptions::default()), ErrorKind::Conflict),
        (replace("a", r#"{"id":"a","pk":"x"}"#, stale), ErrorKind::PreconditionFailed),
        (create(r#"{"id":"q","pk":"y"}"#), ErrorKind::PartitionKeyMismatch),
        (create(r#"{"pk":"x"}"#), ErrorKind::Invalid),
        (delete("z"), ErrorKind::NotFound),
        (increment("z"), ErrorKind::NotFound),
        (read("z"), ErrorKind::NotFound),
    ];
    for (failing, kind) in table {
        let operations = vec![
            create(r#"{"id":"new","pk":"x"}"#),
            delete("b"),
            increment("c"),
            failing.clone(),
            create(r#"{"id":"later","pk":"x"}"#),
        ];
        let outcome = account.batch(&link, "x", operations).await.unwrap();
        assert_eq!(rolled_back(outcome), (3, kind), "{failing:?}");
    }
    assert_eq!(contents(&account, &link).await, before);
    assert_eq!(account.engine.list_partitions(&link).await.unwrap().value, lsn);
    account.verify().await;
}

#[tokio::test]
async fn a_batch_has_1_to_100_operations_and_2_megabytes() {
    let (account, link) = filled().await;
    refused(account.batch(&link, "x", Vec::new()).await, ErrorKind::Invalid);
    let many = |count: usize| -> Vec<_> {
        (0..count).map(|n| upsert(&format!(r#"{{"id":"m{n}","pk":"x"}}"#))).collect()
    };
    refused(account.batch(&link, "x", many(101)).await, ErrorKind::Invalid);
    let long = "l".repeat(1_100_000);
    let large = |name: &str| create(&format!(r#"{{"id":"{name}","pk":"x","l":"{long}"}}"#));
    let two = account.batch(&link, "x", vec![large("l1"), large("l2")]).await;
    refused(two, ErrorKind::TooLarge);
    assert_eq!(account.resource(&link).await.usage.items, 3);
    assert_eq!(committed(account.batch(&link, "x", many(100)).await.unwrap()).len(), 100);
    assert_eq!(account.resource(&link).await.usage.items, 103);
    account.verify().await;
}

#[tokio::test]
async fn operations_on_one_item_follow_each_other() {
    let (account, link) = filled().await;
    let operations = vec![
        delete("a"),
        create(r#"{"id":"a","pk":"x","n":10}"#),
        increment("a"),
        increment("a"),
        delete("a"),
        upsert(r#"{"id":"a","pk":"x","n":20}"#),
        increment("a"),
        create(r#"{"id":"t","pk":"x","n":0}"#),
        delete("t"),
    ];
    committed(account.batch(&link, "x", operations).await.unwrap());
    assert_eq!(own(&account.read(&link, "x", "a").await.unwrap()), r#"{"id":"a","pk":"x","n":21}"#);
    refused(account.read(&link, "x", "t").await, ErrorKind::NotFound);
    assert_eq!(account.resource(&link).await.usage.items, 3);
    account.verify().await;
}

#[tokio::test]
async fn a_batch_reads_under_a_precondition() {
    let (account, link) = filled().await;
    let etag = account.read(&link, "x", "a").await.unwrap().etag();
    let pattern = EtagPattern::parse(&etag.to_string());
    let unchanged = BatchOperation::Read {
        id: id("a"),
        precondition: Some(Precondition::IfNoneMatch(pattern)),
    };
    let operations = vec![unchanged.clone(), increment("a"), unchanged];
    let answers = committed(account.batch(&link, "x", operations).await.unwrap());
    let not_modified = BatchEffect::Read(ReadResult::NotModified(etag));
    assert_eq!(answers[0].effect, not_modified);
    assert!(matches!(&answers[2].effect, BatchEffect::Read(ReadResult::Found(_))));
}

#[tokio::test]
async fn a_batch_of_reads_writes_nothing() {
    let (account, link) = filled().await;
    let before = account.engine.list_partitions(&link).await.unwrap().value;
    let answers = committed(account.batch(&link, "x", vec![read("a"), read("b")]).await.unwrap());
    assert_eq!(answers.len(), 2);
    assert_eq!(account.engine.list_partitions(&link).await.unwrap().value, before);
}

#[tokio::test]
async fn a_batch_needs_its_container_and_a_full_partition_key() {
    let (account, link) = filled().await;
    let missing = ContainerLink::new("d", "none").unwrap();
    refused(account.batch(&missing, "x", vec![read("a")]).await, ErrorKind::OwnerNotFound);
    let kind = ErrorKind::PartitionKeyMismatch;
    refused(account.batch(&link, "[]", vec![read("a")]).await, kind);
}
