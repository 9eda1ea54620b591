//! Items: the verbs one by one.

use engine::ErrorKind;

use crate::account::{Account, plain};

#[tokio::test]
async fn a_created_item_can_be_read_back_with_system_properties_at_the_end() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"a","pk":"x","n":9007199254740993,"f":1.50}"#).await.unwrap();
    let item = account.read(&link, "x", "a").await.unwrap();
    let text = String::from_utf8(item.text().to_vec()).unwrap();
    assert!(
        text.starts_with(r#"{"id":"a","pk":"x","n":9007199254740993,"f":1.50,"_rid":""#),
        "{text}"
    );
    assert!(text.ends_with(r#","_attachments":"attachments/","_ts":1800000000}"#), "{text}");
}

#[tokio::test]
async fn an_id_is_taken_only_inside_its_logical_partition() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    account.create(&link, r#"{"id":"a","pk":"y"}"#).await.unwrap();
    let error = account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
}
