//! Triggers belong to the write that names them.

use engine::operation::*;
use engine::response::UpsertResult;
use engine::{Error, ErrorKind, Response};
use model::{ItemId, MeasuredJson, PartitionKey};

use crate::account::Account;

fn named(before: &[&str], after: &[&str]) -> WriteOptions {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let triggers = TriggerNames { before: names(before), after: names(after) };
    WriteOptions { triggers, ..WriteOptions::default() }
}

async fn create(
    account: &Account,
    text: &str,
    options: WriteOptions,
) -> Result<Response<engine::ItemResource>, Error> {
    let item = MeasuredJson::parse(text.as_bytes()).unwrap();
    let (container, partition_key) = (account.link.clone(), None);
    account.engine.create_item(CreateItem { container, partition_key, item, options }).await
}

const STAMP: &str = r#"function () {
    const request = getContext().getRequest(), item = request.getBody();
    item.by = request.getOperationType();
    request.setBody(item);
}"#;

const COUNT: &str = r#"function () {
    const made = getContext().getResponse().getBody();
    __.upsertDocument(__.getSelfLink(), { id: "count", pk: "a", last: made.id }, (e) => { if (e) throw e; });
}"#;

#[tokio::test]
async fn a_trigger_before_a_write_changes_the_item() {
    let account = Account::new().await;
    account.trigger("stamp", "Pre", "All", STAMP).await;
    let created = create(&account, r#"{"id":"1","pk":"a"}"#, named(&["stamp"], &[])).await.unwrap();
    assert_eq!(created.value.to_json().get("by").unwrap().to_string(), r#""Create""#);
    let item = MeasuredJson::parse(br#"{"id":"1","pk":"a"}"#).unwrap();
    let upsert = UpsertItem {
        container: account.link.clone(),
        partition_key: None,
        item: item.clone(),
        options: named(&["stamp"], &[]),
    };
    let upserted = account.engine.upsert_item(upsert).await.unwrap().value;
    assert!(matches!(upserted, UpsertResult::Replaced(_)));
    assert_eq!(account.rows("SELECT VALUE c[\"by\"] FROM c").await.unwrap(), r#""Upsert""#);
    let replace = ReplaceItem {
        container: account.link.clone(),
        partition_key: None,
        id: ItemId::new("1").unwrap(),
        item,
        options: named(&["stamp"], &[]),
    };
    account.engine.replace_item(replace).await.unwrap();
    assert_eq!(account.rows("SELECT VALUE c[\"by\"] FROM c").await.unwrap(), r#""Replace""#);
}

#[tokio::test]
async fn a_trigger_after_a_write_is_in_the_same_commit() {
    let account = Account::new().await;
    account.trigger("count", "Post", "Create", COUNT).await;
    account.trigger("fails", "Post", "All", "function () { throw new Error(409, 'no'); }").await;
    create(&account, r#"{"id":"1","pk":"a"}"#, named(&[], &["count"])).await.unwrap();
    let lasts = account.rows("SELECT VALUE c.last FROM c WHERE c.id = 'count'").await.unwrap();
    assert_eq!(lasts, r#""1""#);
    let refused = create(&account, r#"{"id":"2","pk":"a"}"#, named(&[], &["fails"])).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::ScriptFailed { number: Some(409) });
    assert_eq!(account.ids().await, r#""1" "count""#);
    let delete = DeleteItem {
        container: account.link.clone(),
        partition_key: PartitionKey::from("a"),
        id: ItemId::new("1").unwrap(),
        options: named(&[], &["fails"]),
    };
    assert!(account.engine.delete_item(delete.clone()).await.is_err());
    let delete = DeleteItem { options: WriteOptions::default(), ..delete };
    account.engine.delete_item(delete).await.unwrap();
    assert_eq!(account.ids().await, r#""count""#);
}

#[tokio::test]
async fn a_trigger_after_a_write_changes_the_response_and_not_the_item() {
    let account = Account::new().await;
    let body = "function () { getContext().getResponse().setBody({ shown: true }); }";
    account.trigger("show", "Post", "All", body).await;
    let created = create(&account, r#"{"id":"1","pk":"a"}"#, named(&[], &["show"])).await.unwrap();
    assert_eq!(created.value.text(), br#"{"shown":true}"#);
    assert_eq!(account.rows("SELECT VALUE c.shown FROM c").await.unwrap(), "");
}

#[tokio::test]
async fn a_trigger_runs_only_as_it_is_registered() {
    let account = Account::new().await;
    account.trigger("before", "Pre", "Delete", STAMP).await;
    account.trigger("after", "Post", "Create", COUNT).await;
    let item = r#"{"id":"1","pk":"a"}"#;
    for (options, kind) in [
        (named(&["before"], &[]), ErrorKind::Invalid),
        (named(&["after"], &[]), ErrorKind::Invalid),
        (named(&[], &["before"]), ErrorKind::Invalid),
        (named(&["none"], &[]), ErrorKind::NotFound),
        (named(&["a", "b"], &[]), ErrorKind::Invalid),
    ] {
        assert_eq!(create(&account, item, options).await.unwrap_err().kind(), kind);
    }
    let no_response = "function () { getContext().getResponse(); }";
    account.trigger("early", "Pre", "All", no_response).await;
    let refused = create(&account, item, named(&["early"], &[])).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ScriptFailed { number: None });
    assert_eq!(account.ids().await, "");
}
