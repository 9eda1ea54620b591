//! Plans and items that are refused.

use client::PartitionKeyDefinition;
use serde_json::json;
use service::copy::{Copy, CopyError, OnMissing, OnRefused, Plan};

use super::ground::{Ground, order};

async fn refused(plan: Plan, words: &str) {
    let told = Copy::prepare(plan).await.map(|_| ()).unwrap_err();
    assert!(matches!(told, CopyError::Plan(_)) && told.to_string().contains(words), "{told}");
}

#[tokio::test]
async fn plans_that_make_no_sense() {
    let ground = Ground::with(1).await;
    refused(Plan::new(ground.from.clone(), ground.from.clone()), "name another container").await;
    refused(Plan::new(ground.to.clone(), ground.from.clone()), "no container shop/orders-v2").await;
    let mut plan = ground.plan();
    plan.on_missing = OnMissing::Refuse;
    refused(plan, "copy first").await;
    ground.copy().await.unwrap();
    let mut plan = ground.plan();
    plan.partition_key = Some(PartitionKeyDefinition::single("/other").unwrap());
    refused(plan, "exists with the partition key").await;
}

#[tokio::test]
async fn items_without_the_new_key_are_all_named_and_nothing_beyond_is_written() {
    let ground = Ground::with(0).await;
    for (id, city) in [("x1", json!(null)), ("x2", json!([1])), ("x3", json!({"a": 1}))] {
        ground.put(json!({"id": id, "customer": "c1", "city": city})).await;
    }
    for number in 0..30 {
        ground.put(order(number)).await;
    }
    ground.put(json!({"id": "x4", "customer": "c2"})).await;
    let stopped = ground.copy().await.unwrap_err();
    let CopyError::Refused(refused) = &stopped else { panic!("{stopped}") };
    let mut ids: Vec<&str> = refused.first.iter().map(|item| item.id.as_str()).collect();
    ids.sort_unstable();
    // Null is a value of a partition key; arrays and objects are not.
    assert_eq!((refused.count, ids), (3, vec!["x2", "x3", "x4"]));
    assert!(stopped.to_string().contains("'x4' in [\"c2\"]: it has no text"), "{stopped}");
    assert_eq!(ground.faults.requests("upsert"), 34, "only the test itself wrote");
}

#[tokio::test]
async fn items_without_the_new_key_are_left_out_when_told_so() {
    let ground = Ground::with(10).await;
    ground.put(json!({"id": "x", "customer": "c2"})).await;
    let skipping = || {
        let mut plan = ground.plan();
        plan.on_refused = OnRefused::Skip;
        plan
    };
    let copied = ground.copy_by(skipping()).await.unwrap();
    assert_eq!((copied.copied, copied.refused.count, copied.refused_ever), (10, 1, 1));
    // A later run still knows of it.
    let again = ground.copy_by(skipping()).await.unwrap();
    assert_eq!((again.copied, again.refused.count, again.refused_ever), (0, 0, 1));
}
