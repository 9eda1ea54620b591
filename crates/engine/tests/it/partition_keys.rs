//! Logical partitions: which keys are distinct, with one level and with several.

use engine::ErrorKind;
use model::{ContainerId, ContainerProperties, FeedRange, PartitionKeyDefinition};

use crate::account::{Account, container, plain};
use crate::verbs::{ids, key, refused};

fn hierarchical(paths: &[&str]) -> ContainerProperties {
    ContainerProperties::new(
        ContainerId::new("h").unwrap(),
        PartitionKeyDefinition::hierarchical(paths).unwrap(),
    )
}

#[tokio::test]
async fn every_kind_of_value_is_a_logical_partition_of_its_own() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let values = ["null", "true", "false", "0", "1", "-1", "1.5", r#""1""#, r#""""#, r#""null""#];
    for value in values {
        let text = format!(r#"{{"id":"a","pk":{value},"v":{value}}}"#);
        account.create(&link, &text).await.unwrap();
    }
    account.create(&link, r#"{"id":"a","v":"undefined"}"#).await.unwrap();
    for value in values {
        let read = account.read(&link, &format!("[{value}]"), "a").await.unwrap();
        assert_eq!(read.to_json().get("v").unwrap().to_string(), value);
        let range = FeedRange::PartitionKey(key(&format!("[{value}]")));
        assert_eq!(account.list(&link, &range, 10).await, [read]);
    }
    let undefined = account.read(&link, "[{}]", "a").await.unwrap();
    assert_eq!(undefined.to_json().get("v").unwrap().as_str(), Some("undefined"));
    for same in [r#"{"id":"a","pk":{}}"#, r#"{"id":"a","pk":[1]}"#, r#"{"id":"a"}"#] {
        refused(account.create(&link, same).await, ErrorKind::Conflict);
    }
    for same in [r#"{"id":"a","pk":1.0}"#, r#"{"id":"a","pk":-0}"#] {
        refused(account.create(&link, same).await, ErrorKind::Conflict);
    }
    account.verify().await;
}

#[tokio::test]
async fn two_levels_give_a_partition_per_pair() {
    let account = Account::new().await;
    let link = account.container(hierarchical(&["/tenant", "/user"])).await;
    for (tenant, user) in [("a", "1"), ("a", "2"), ("b", "1"), ("a1", "")] {
        let text = format!(r#"{{"id":"i","tenant":"{tenant}","user":"{user}"}}"#);
        account.create(&link, &text).await.unwrap();
        refused(account.create(&link, &text).await, ErrorKind::Conflict);
    }
    account.create(&link, r#"{"id":"i","tenant":"a"}"#).await.unwrap();
    account.create(&link, r#"{"id":"i","tenant":"a","user":null}"#).await.unwrap();
    account.read(&link, r#"["a",{}]"#, "i").await.unwrap();
    account.read(&link, r#"["a",null]"#, "i").await.unwrap();
    let kind = ErrorKind::PartitionKeyMismatch;
    refused(account.read(&link, r#"["a"]"#, "i").await, kind);
    refused(account.delete_partition(&link, r#"["a"]"#).await, kind);
    let of_tenant = FeedRange::PartitionKey(key(r#"["a"]"#));
    assert_eq!(account.list(&link, &of_tenant, 2).await.len(), 4);
    let of_user = FeedRange::PartitionKey(key(r#"["a","2"]"#));
    assert_eq!(account.list(&link, &of_user, 2).await.len(), 1);
    assert_eq!(account.list(&link, &FeedRange::Container, 2).await.len(), 6);
    assert_eq!(account.delete_partition(&link, r#"["a","1"]"#).await.unwrap(), 1);
    assert_eq!(account.list(&link, &of_tenant, 2).await.len(), 3);
    account.verify().await;
}

#[tokio::test]
async fn three_levels_nest() {
    let account = Account::new().await;
    let link = account.container(hierarchical(&["/a", "/b/c", "/d"])).await;
    for a in 0..2 {
        for b in 0..2 {
            for d in 0..2 {
                let text = format!(r#"{{"id":"{a}{b}{d}","a":{a},"b":{{"c":{b}}},"d":{d}}}"#);
                account.create(&link, &text).await.unwrap();
            }
        }
    }
    let list = |text: &str| {
        let range = FeedRange::PartitionKey(key(text));
        let (account, link) = (&account, &link);
        async move {
            let mut ids = ids(&account.list(link, &range, 3).await);
            ids.sort();
            ids
        }
    };
    assert_eq!(list("[1]").await, ["100", "101", "110", "111"]);
    assert_eq!(list("[1,0]").await, ["100", "101"]);
    assert_eq!(list("[1,0,1]").await, ["101"]);
    let text = account.read(&link, "[1,0,1]", "101").await.unwrap();
    assert_eq!(text.to_json().get("a").unwrap().as_i64(), Some(1));
    account.split(&link, 0).await.unwrap();
    assert_eq!(list("[1]").await, ["100", "101", "110", "111"]);
    account.verify().await;
}

/// Version 1 hashes the first 100 bytes of a string only: these keys have one epk and are two logical partitions.
#[tokio::test]
async fn keys_that_share_an_epk_are_still_two_logical_partitions() {
    let account = Account::new().await;
    let link = account
        .container(container(r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"}}"#))
        .await;
    let long = "k".repeat(100);
    let (one, two) = (format!("{long}1"), format!("{long}2"));
    for pk in [&one, &two] {
        let text = format!(r#"{{"id":"a","pk":"{pk}"}}"#);
        account.create(&link, &text).await.unwrap();
    }
    let of_one = FeedRange::PartitionKey(key(&one));
    assert_eq!(account.list(&link, &of_one, 10).await.len(), 1);
    let mode = engine::change_feed::ChangeFeedMode::LatestVersion;
    let start = engine::change_feed::ChangeFeedStart::Beginning;
    let page = account.changes_of(&link, of_one, mode, start, 10).await.unwrap();
    assert_eq!(page.changes.len(), 1);
    assert_eq!(page.changes[0].partition_key(), key(&one));
    assert_eq!(account.delete_partition(&link, &one).await.unwrap(), 1);
    account.read(&link, &two, "a").await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn deleting_by_partition_key_leaves_every_other_one() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for number in 0..250 {
        let text = format!(r#"{{"id":"i{number}","pk":"big"}}"#);
        account.create(&link, &text).await.unwrap();
    }
    account.create(&link, r#"{"id":"i","pk":"bigger"}"#).await.unwrap();
    account.create(&link, r#"{"id":"i","pk":"bi"}"#).await.unwrap();
    assert_eq!(account.delete_partition(&link, "big").await.unwrap(), 250);
    assert_eq!(account.delete_partition(&link, "big").await.unwrap(), 0);
    assert_eq!(account.resource(&link).await.usage.items, 2);
    account.verify().await;
}
