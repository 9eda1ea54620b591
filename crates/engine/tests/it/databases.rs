//! Databases: create, read, list, delete.

use engine::ErrorKind;
use engine::operation::CreateDatabase;
use model::{DatabaseId, DatabaseProperties};

use crate::account::{Account, plain};
use crate::verbs::refused;

#[tokio::test]
async fn a_database_is_created_read_listed_and_deleted() {
    let account = Account::new().await;
    let beta = account.database("beta").await;
    account.database("alpha").await;
    let read = account.engine.read_database(&beta).await.unwrap().value;
    assert_eq!(read.properties.id, beta);
    assert_eq!(read.timestamp.0, 1_800_000_000);
    let listed = account.engine.list_databases().await.unwrap().value;
    let ids: Vec<_> = listed.iter().map(|database| database.properties.id.as_str()).collect();
    assert_eq!(ids, ["alpha", "beta"]);
    account.engine.delete_database(&beta).await.unwrap();
    refused(account.engine.read_database(&beta).await, ErrorKind::OwnerNotFound);
    let account = account.reopened().await;
    assert_eq!(account.engine.list_databases().await.unwrap().value, listed[..1]);
}

#[tokio::test]
async fn a_taken_id_is_a_conflict_and_leaves_the_first_alone() {
    let account = Account::new().await;
    let id = account.database("d").await;
    let before = account.engine.read_database(&id).await.unwrap().value;
    let again =
        CreateDatabase { properties: DatabaseProperties { id: id.clone() }, throughput: None };
    let text = refused(account.engine.create_database(again).await, ErrorKind::Conflict);
    assert!(text.starts_with("Resource with specified id, name, or unique index already exists."));
    assert_eq!(account.engine.read_database(&id).await.unwrap().value, before);
}

#[tokio::test]
async fn a_missing_database_cannot_be_deleted_or_listed() {
    let account = Account::new().await;
    let id = DatabaseId::new("none").unwrap();
    refused(account.engine.delete_database(&id).await, ErrorKind::OwnerNotFound);
    refused(account.engine.list_containers(&id).await, ErrorKind::OwnerNotFound);
}

#[tokio::test]
async fn deleting_a_database_deletes_its_containers_and_their_bytes() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    account.engine.delete_database(&link.database).await.unwrap();
    refused(account.read(&link, "x", "a").await, ErrorKind::OwnerNotFound);
    assert!(account.engine.maintain_fully().await.unwrap().reclaimed > 0);
    assert_eq!(account.engine.maintain_fully().await.unwrap().reclaimed, 0);
    let link = account.container(plain("c")).await;
    refused(account.read(&link, "x", "a").await, ErrorKind::NotFound);
}

#[tokio::test]
async fn names_may_hold_any_character_but_the_forbidden_ones() {
    let account = Account::new().await;
    for name in ["a\u{0}b", "a", "ünï cødé", "%20+", "\u{1F600}"] {
        let database = account.database(name).await;
        let create = engine::operation::CreateContainer {
            database,
            properties: plain("c\u{0}"),
            throughput: None,
        };
        account.engine.create_container(create).await.unwrap();
    }
    let account = account.reopened().await;
    for database in account.engine.list_databases().await.unwrap().value {
        let id = database.properties.id;
        assert_eq!(account.engine.list_containers(&id).await.unwrap().value.len(), 1, "{id}");
    }
    for name in ["", "a/b", "a\\b", "a?", "a#", "ends "] {
        assert!(DatabaseId::new(name).is_err(), "{name}");
    }
}

#[tokio::test]
async fn a_closed_engine_refuses_everything() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let Account { engine, clock, store } = account;
    engine.clone().close().await.unwrap();
    let account = Account { engine, clock, store };
    refused(account.engine.list_databases().await, ErrorKind::Unavailable);
    refused(account.create(&link, r#"{"id":"a","pk":"x"}"#).await, ErrorKind::Unavailable);
    refused(account.read(&link, "x", "a").await, ErrorKind::Unavailable);
}
