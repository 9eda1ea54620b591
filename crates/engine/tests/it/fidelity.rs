//! Items are stored as sent: order of properties, unknown fields, and on request the digits of numbers; only system
//! properties are added.

use std::collections::HashSet;

use engine::ErrorKind;
use model::{ResourceId, ResourceIdKind};

use crate::account::{Account, json, plain, settings_without_maintenance};
use crate::verbs::{own, refused, text};

#[tokio::test]
async fn text_comes_back_as_it_was_sent_if_numbers_are_kept_exactly() {
    let settings = engine::EngineSettings { exact_numbers: true, ..settings_without_maintenance() };
    let account = Account::with_settings(settings).await;
    let link = account.container(plain("c")).await;
    for value in [
        "9007199254740993",
        "-9223372036854775808",
        "9223372036854775807",
        "18446744073709551615",
        "1.50",
        "1e3",
        "-0",
        "0.1",
        "1.7976931348623157e308",
        r#""é\n\u0001\"\\""#,
        "[]",
        "{}",
        r#"{"z":1,"a":{"$type":"x","__proto__":[null,true,false]}}"#,
    ] {
        let sent = format!(r#"{{"z":{value},"id":"a","pk":"x","":1,"A":2,"a":3}}"#);
        let stored = account.upsert(&link, &sent).await.unwrap();
        let expected = json(&sent).to_string();
        assert_eq!(own(stored.item()), expected);
        assert_eq!(own(&account.read(&link, "x", "a").await.unwrap()), expected);
    }
    account.verify().await;
}

#[tokio::test]
async fn system_properties_of_the_client_are_overwritten() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let sent = r#"{"_ts":1,"id":"a","_etag":"mine","pk":"x","_rid":"r","_self":2,"_attachments":3,
                   "_lsn":7,"n":1}"#;
    let item = account.create(&link, sent).await.unwrap();
    assert_eq!(own(&item), r#"{"id":"a","pk":"x","_lsn":7,"n":1}"#);
    let json = item.to_json();
    assert_eq!(json.get("_etag").unwrap().as_str().unwrap(), item.etag().to_string());
    assert_eq!(json.get("_ts").unwrap().as_i64().unwrap(), 1_800_000_000);
    let rid = json.get("_rid").unwrap().as_str().unwrap();
    let link = json.get("_self").unwrap().as_str().unwrap();
    assert!(link.starts_with("dbs/") && link.ends_with(&format!("/docs/{rid}/")), "{link}");
}

#[tokio::test]
async fn a_read_item_can_be_sent_back_unchanged() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let first = account.create(&link, r#"{"id":"a","pk":"x","n":1.50}"#).await.unwrap();
    let second = account.replace(&link, "a", &text(&first)).await.unwrap();
    assert_eq!(own(&first), own(&second));
    assert_ne!(first.etag(), second.etag());
}

#[tokio::test]
async fn rids_are_valid_unique_and_grow_with_creation() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let container = account.resource(&link).await.rid;
    let rid = |item: &engine::ItemResource| {
        let rid = item.to_json().get("_rid").unwrap().as_str().unwrap().to_owned();
        ResourceId::parse(&rid).unwrap()
    };
    let mut ordinals = Vec::new();
    for number in 0..20 {
        let text = format!(r#"{{"id":"i{number}","pk":"p{}"}}"#, number % 3);
        let item = account.create(&link, &text).await.unwrap();
        assert_eq!(rid(&item).kind(), ResourceIdKind::Item);
        assert_eq!(rid(&item).container_id().unwrap(), container);
        ordinals.push(rid(&item).ordinal().unwrap());
    }
    assert!(ordinals.is_sorted() && ordinals[0] > 0);
    let account = account.reopened().await;
    assert_eq!(account.resource(&link).await.rid, container);
    let kept = account.read(&link, "p0", "i0").await.unwrap();
    assert_eq!(rid(&kept).ordinal().unwrap(), ordinals[0]);
    let next = account.create(&link, r#"{"id":"next","pk":"p0"}"#).await.unwrap();
    assert!(rid(&next).ordinal() > ordinals.last().copied());
    assert_eq!(ordinals.iter().collect::<HashSet<_>>().len(), 20);
}

#[tokio::test]
async fn every_write_gives_a_new_etag_also_after_reopening_and_splitting() {
    let mut account = Account::new().await;
    let link = account.container(plain("c")).await;
    let mut etags = HashSet::new();
    for round in 0..4 {
        for _ in 0..5 {
            let item = account.upsert(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
            assert!(etags.insert(item.item().etag().to_string()));
        }
        account.delete(&link, "x", "a").await.unwrap();
        if round % 2 == 0 {
            account = account.reopened().await;
        } else {
            let partitions = account.engine.list_partitions(&link).await.unwrap().value.partitions;
            account.split(&link, partitions[0].number).await.unwrap();
        }
    }
    assert_eq!(etags.len(), 20);
}

#[tokio::test]
async fn a_timestamp_is_the_second_of_the_last_write() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    account.travel(90);
    assert_eq!(account.read(&link, "x", "a").await.unwrap().timestamp().0, 1_800_000_000);
    account.upsert(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    assert_eq!(account.read(&link, "x", "a").await.unwrap().timestamp().0, 1_800_000_090);
}

#[tokio::test]
async fn a_ttl_that_means_nothing_is_refused() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for ttl in ["0", "-2", "1.5", "\"1\"", "null"] {
        let text = format!(r#"{{"id":"a","pk":"x","ttl":{ttl}}}"#);
        refused(account.create(&link, &text).await, ErrorKind::Invalid);
    }
    refused(account.read(&link, "x", "a").await, ErrorKind::NotFound);
}
