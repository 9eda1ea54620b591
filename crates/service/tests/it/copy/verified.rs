//! What verification finds and removes.

use client::PartitionKey;
use serde_json::json;
use service::copy::{Copy, Difference, DifferenceKind, OnExtra, Verification};

use super::ground::Ground;

async fn verify(ground: &Ground, on_extra: OnExtra) -> Verification {
    let copy = Copy::prepare(ground.plan()).await.unwrap();
    copy.verify(on_extra, &|_| {}).await.unwrap()
}

#[tokio::test]
async fn every_kind_of_difference_is_named() {
    let ground = Ground::with(50).await;
    ground.copy().await.unwrap();
    let key = PartitionKey::from("city0");
    ground.to.delete(&key, "o3", None).await.unwrap();
    ground.to.upsert(&key, &json!({"id": "o6", "city": "city0"}), None).await.unwrap();
    ground.to.upsert(&key, &json!({"id": "alien", "city": "city0"}), None).await.unwrap();
    let found = verify(&ground, OnExtra::Tell).await;
    assert!(!found.is_equal());
    assert_eq!((found.missing, found.different, found.extra, found.clashing), (1, 1, 1, 0));
    assert_eq!((found.source_items, found.target_items), (50, 50));
    let mut first: Vec<(DifferenceKind, &str)> =
        found.first.iter().map(|one| (one.kind, one.id.as_str())).collect();
    first.sort_by_key(|(_, id)| *id);
    let expected = [
        (DifferenceKind::Extra, "alien"),
        (DifferenceKind::Missing, "o3"),
        (DifferenceKind::Different, "o6"),
    ];
    assert_eq!(first, expected);
}

#[tokio::test]
async fn what_the_source_no_longer_holds_is_found_and_deleted() {
    let ground = Ground::with(30).await;
    ground.keep_versions(0).await;
    ground.copy().await.unwrap();
    ground.from.delete(&PartitionKey::from("c4"), "o4", None).await.unwrap();
    // An item whose new key changes leaves its old place behind.
    ground.put(json!({"id": "o5", "customer": "c5", "city": "moved"})).await;
    ground.copy().await.unwrap();
    let found = verify(&ground, OnExtra::Tell).await;
    assert_eq!((found.extra, found.missing, found.different), (2, 0, 0), "{found:?}");
    let found = verify(&ground, OnExtra::Delete).await;
    assert_eq!((found.deleted, found.extra), (2, 0));
    assert!(found.is_equal());
    let found = verify(&ground, OnExtra::Tell).await;
    assert!(found.is_equal() && found.target_items == 29, "{found:?}");
}

#[tokio::test]
async fn two_items_that_become_one_are_found() {
    let ground = Ground::with(10).await;
    ground.put(json!({"id": "twin", "customer": "c1", "city": "city0"})).await;
    ground.put(json!({"id": "twin", "customer": "c2", "city": "city0"})).await;
    ground.copy().await.unwrap();
    let found = verify(&ground, OnExtra::Delete).await;
    assert!(found.clashing == 1 && !found.is_equal(), "{found:?}");
    let difference = Difference {
        kind: DifferenceKind::Clashing,
        id: "twin".to_owned(),
        partition_key: r#"["city0"]"#.to_owned(),
    };
    assert!(found.first.contains(&difference), "{found:?}");
}

#[tokio::test]
async fn numbers_keep_their_digits() {
    let ground = Ground::with(0).await;
    let number = "123456789012345678";
    let text = format!(r#"{{"id":"n","customer":"c","city":"x","exact":{number},"small":1e-7}}"#);
    let raw = serde_json::value::RawValue::from_string(text).unwrap();
    ground.from.create(&PartitionKey::from("c"), &raw).await.unwrap();
    ground.copy().await.unwrap();
    let key = PartitionKey::from("x");
    let read = ground.to.read::<serde_json::Value>(&key, "n").await.unwrap().value;
    let stored = String::from_utf8(read.text().to_vec()).unwrap();
    assert!(stored.contains(number), "{stored}");
    assert!(verify(&ground, OnExtra::Tell).await.is_equal());
}
