//! Verification of a copy.

use client::PartitionKey;
use serde_json::json;
use service::copy::{ContainerCopy, CopyVerification, Difference, DifferenceKind, OnExtraItem};

use super::fixture::Fixture;

async fn verify(fixture: &Fixture, on_extra: OnExtraItem) -> CopyVerification {
    let copy = ContainerCopy::prepare(fixture.plan()).await.unwrap();
    copy.verify(on_extra, &|_| {}).await.unwrap()
}

#[tokio::test]
async fn every_kind_of_difference_is_named() {
    let fixture = Fixture::with(50).await;
    fixture.copy().await.unwrap();
    let key = PartitionKey::from("city0");
    fixture.to.delete(&key, "o3", None).await.unwrap();
    fixture.to.upsert(&key, &json!({"id": "o6", "city": "city0"}), None).await.unwrap();
    fixture.to.upsert(&key, &json!({"id": "alien", "city": "city0"}), None).await.unwrap();
    let found = verify(&fixture, OnExtraItem::Report).await;
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
async fn extra_items_are_found_and_deleted() {
    let fixture = Fixture::with(30).await;
    fixture.keep_versions(0).await;
    fixture.copy().await.unwrap();
    fixture.from.delete(&PartitionKey::from("c4"), "o4", None).await.unwrap();
    // An item whose new key changes leaves its old place behind.
    fixture.put(json!({"id": "o5", "customer": "c5", "city": "moved"})).await;
    fixture.copy().await.unwrap();
    let found = verify(&fixture, OnExtraItem::Report).await;
    assert_eq!((found.extra, found.missing, found.different), (2, 0, 0), "{found:?}");
    let found = verify(&fixture, OnExtraItem::Delete).await;
    assert_eq!((found.deleted, found.extra), (2, 0));
    assert!(found.is_equal());
    let found = verify(&fixture, OnExtraItem::Report).await;
    assert!(found.is_equal() && found.target_items == 29, "{found:?}");
}

#[tokio::test]
async fn two_items_that_become_one_are_found() {
    let fixture = Fixture::with(10).await;
    fixture.put(json!({"id": "twin", "customer": "c1", "city": "city0"})).await;
    fixture.put(json!({"id": "twin", "customer": "c2", "city": "city0"})).await;
    fixture.copy().await.unwrap();
    let found = verify(&fixture, OnExtraItem::Delete).await;
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
    let fixture = Fixture::with(0).await;
    let number = "123456789012345678";
    let text = format!(r#"{{"id":"n","customer":"c","city":"x","exact":{number},"small":1e-7}}"#);
    let raw = serde_json::value::RawValue::from_string(text).unwrap();
    fixture.from.create(&PartitionKey::from("c"), &raw).await.unwrap();
    fixture.copy().await.unwrap();
    let key = PartitionKey::from("x");
    let read = fixture.to.read::<serde_json::Value>(&key, "n").await.unwrap().value;
    let stored = String::from_utf8(read.text().to_vec()).unwrap();
    assert!(stored.contains(number), "{stored}");
    assert!(verify(&fixture, OnExtraItem::Report).await.is_equal());
}
