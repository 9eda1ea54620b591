//! Unique keys: what repeats, what does not, and when a value is free again.

use engine::operation::BatchOperation;
use engine::response::BatchResult;
use engine::{ContainerLink, ErrorKind};

use crate::account::{Account, container, json};
use crate::verbs::{own, refused};

async fn unique(extra: &str) -> (Account, ContainerLink) {
    let account = Account::new().await;
    let text = format!(
        r#"{{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}},
            "uniqueKeyPolicy":{{"uniqueKeys":[{{"paths":["/mail"]}},{{"paths":["/a","/b"]}}]}}{extra}}}"#
    );
    let link = account.container(container(&text)).await;
    (account, link)
}

fn item(id: &str, pk: &str, mail: &str, number: u32) -> String {
    format!(r#"{{"id":"{id}","pk":"{pk}","mail":{mail},"a":{number},"b":0}}"#)
}

#[tokio::test]
async fn a_value_is_unique_inside_its_logical_partition_only() {
    let (account, link) = unique("").await;
    account.create(&link, &item("1", "x", "\"m\"", 1)).await.unwrap();
    let text =
        refused(account.create(&link, &item("2", "x", "\"m\"", 2)).await, ErrorKind::Conflict);
    assert!(text.starts_with("Entity with the specified id already exists in the system."));
    account.create(&link, &item("2", "y", "\"m\"", 2)).await.unwrap();
    account.create(&link, &item("2", "x", "\"M\"", 2)).await.unwrap();
    refused(account.upsert(&link, &item("3", "x", "\"m\"", 3)).await, ErrorKind::Conflict);
    refused(account.replace(&link, "2", &item("2", "x", "\"m\"", 2)).await, ErrorKind::Conflict);
    let patch = r#"[{"op":"set","path":"/mail","value":"m"}]"#;
    refused(account.patch(&link, ("x", "2"), patch).await, ErrorKind::Conflict);
    assert_eq!(own(&account.read(&link, "x", "2").await.unwrap()), item("2", "x", "\"M\"", 2));
    account.verify().await;
}

#[tokio::test]
async fn paths_of_one_unique_key_count_together() {
    let (account, link) = unique("").await;
    account.create(&link, r#"{"id":"1","pk":"x","mail":1,"a":1,"b":1}"#).await.unwrap();
    account.create(&link, r#"{"id":"2","pk":"x","mail":2,"a":1,"b":2}"#).await.unwrap();
    account.create(&link, r#"{"id":"3","pk":"x","mail":3,"a":2,"b":1}"#).await.unwrap();
    let repeated = account.create(&link, r#"{"id":"4","pk":"x","mail":4,"a":1.0,"b":1}"#).await;
    refused(repeated, ErrorKind::Conflict);
}

#[tokio::test]
async fn a_missing_value_counts_as_a_value_and_null_as_another() {
    let (account, link) = unique("").await;
    account.create(&link, r#"{"id":"1","pk":"x","a":1}"#).await.unwrap();
    let missing = account.create(&link, r#"{"id":"2","pk":"x","a":2}"#).await;
    refused(missing, ErrorKind::Conflict);
    account.create(&link, r#"{"id":"2","pk":"x","mail":null,"a":2}"#).await.unwrap();
    let null = account.create(&link, r#"{"id":"3","pk":"x","mail":null,"a":3}"#).await;
    refused(null, ErrorKind::Conflict);
    account.verify().await;
}

#[tokio::test]
async fn large_numbers_and_long_texts_are_told_apart() {
    let (account, link) = unique("").await;
    let long = "m".repeat(5000);
    let values = [
        "9007199254740992".to_owned(),
        "9007199254740993".to_owned(),
        format!("\"{long}1\""),
        format!("\"{long}2\""),
        "[1]".to_owned(),
        r#"{"a":1,"b":2}"#.to_owned(),
    ];
    for (number, value) in (0..).zip(&values) {
        account.create(&link, &item(&format!("i{number}"), "x", value, number)).await.unwrap();
    }
    for (number, value) in (100..).zip(&values) {
        let again = account.create(&link, &item("again", "x", value, number)).await;
        refused(again, ErrorKind::Conflict);
    }
    let turned = account.create(&link, &item("t", "x", r#"{"b":2,"a":1}"#, 200)).await;
    refused(turned, ErrorKind::Conflict);
    account.verify().await;
}

#[tokio::test]
async fn a_value_is_free_after_delete_replace_and_patch() {
    let (account, link) = unique("").await;
    let taken = item("2", "x", "\"m\"", 2);
    account.create(&link, &item("1", "x", "\"m\"", 1)).await.unwrap();
    account.replace(&link, "1", &item("1", "x", "\"n\"", 1)).await.unwrap();
    account.create(&link, &taken).await.unwrap();
    account.delete(&link, "x", "2").await.unwrap();
    account.create(&link, &taken).await.unwrap();
    account.patch(&link, ("x", "2"), r#"[{"op":"remove","path":"/mail"}]"#).await.unwrap();
    account.create(&link, &item("3", "x", "\"m\"", 3)).await.unwrap();
    assert_eq!(account.delete_partition(&link, "x").await.unwrap(), 3);
    account.create(&link, &taken).await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn a_value_is_free_when_its_holder_has_expired_before_any_sweep() {
    let (account, link) = unique(r#","defaultTtl":-1"#).await;
    let mortal = r#"{"id":"1","pk":"x","mail":"m","a":1,"ttl":10}"#;
    account.create(&link, mortal).await.unwrap();
    refused(account.create(&link, &item("2", "x", "\"m\"", 2)).await, ErrorKind::Conflict);
    account.travel(10);
    account.create(&link, &item("2", "x", "\"m\"", 2)).await.unwrap();
    assert_eq!(account.resource(&link).await.usage.items, 1, "the holder went with the write");
    account.verify().await;
    account.engine.maintain_fully().await.unwrap();
    refused(account.create(&link, &item("3", "x", "\"m\"", 3)).await, ErrorKind::Conflict);
    account.verify().await;
}

#[tokio::test]
async fn a_batch_may_hand_a_value_on() {
    let (account, link) = unique("").await;
    account.create(&link, &item("1", "x", "\"m\"", 1)).await.unwrap();
    let create = |text: &str| BatchOperation::Create {
        item: json(text).into(),
        options: Default::default(),
    };
    let hand_on = |delete_first: bool| {
        let delete =
            BatchOperation::Delete { id: crate::verbs::id("1"), options: Default::default() };
        let create = create(&item("2", "x", "\"m\"", 2));
        if delete_first { vec![delete, create] } else { vec![create, delete] }
    };
    let outcome = account.batch(&link, "x", hand_on(false)).await.unwrap();
    assert!(matches!(outcome, BatchResult::RolledBack { failed: 0, .. }));
    let outcome = account.batch(&link, "x", hand_on(true)).await.unwrap();
    assert!(matches!(outcome, BatchResult::Committed(_)));
    let twice = vec![create(&item("3", "x", "\"n\"", 3)), create(&item("4", "x", "\"n\"", 4))];
    let outcome = account.batch(&link, "x", twice).await.unwrap();
    assert!(matches!(outcome, BatchResult::RolledBack { failed: 1, .. }));
    refused(account.read(&link, "x", "3").await, ErrorKind::NotFound);
    account.verify().await;
}

#[tokio::test]
async fn of_many_at_once_one_gets_the_value() {
    let (account, link) = unique("").await;
    let texts: Vec<_> = (0..50).map(|n| item(&format!("i{n}"), "x", "\"m\"", n)).collect();
    let mut tasks = Vec::new();
    for text in texts {
        let (engine, container) = (account.engine.clone(), link.clone());
        tasks.push(tokio::spawn(async move {
            let create = engine::operation::CreateItem {
                container,
                partition_key: None,
                item: json(&text).into(),
                options: Default::default(),
            };
            engine.create_item(create).await.is_ok()
        }));
    }
    let mut winners = 0;
    for task in tasks {
        winners += usize::from(task.await.unwrap());
    }
    assert_eq!(winners, 1);
    assert_eq!(account.resource(&link).await.usage.items, 1);
    account.verify().await;
}
