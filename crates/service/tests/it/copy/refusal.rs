//! Rejected plans and items.

use client::PartitionKeyDefinition;
use serde_json::json;
use service::copy::{ContainerCopy, CopyError, CopyPlan, OnMissingTarget, OnRejected};

use super::fixture::{Fixture, order};

async fn refused(plan: CopyPlan, words: &str) {
    let report = ContainerCopy::prepare(plan).await.map(|_| ()).unwrap_err();
    assert!(matches!(report, CopyError::Plan(_)) && report.to_string().contains(words), "{report}");
}

#[tokio::test]
async fn plans_that_make_no_sense() {
    let fixture = Fixture::with(1).await;
    refused(CopyPlan::new(fixture.from.clone(), fixture.from.clone()), "name another container")
        .await;
    refused(CopyPlan::new(fixture.to.clone(), fixture.from.clone()), "no container shop/orders-v2")
        .await;
    let mut plan = fixture.plan();
    plan.on_missing_target = OnMissingTarget::Fail;
    refused(plan, "copy first").await;
    fixture.copy().await.unwrap();
    let mut plan = fixture.plan();
    plan.partition_key = Some(PartitionKeyDefinition::single("/other").unwrap());
    refused(plan, "exists with the partition key").await;
}

#[tokio::test]
async fn items_without_the_new_key_are_all_named_and_nothing_beyond_is_written() {
    let fixture = Fixture::with(0).await;
    for (id, city) in [("x1", json!(null)), ("x2", json!([1])), ("x3", json!({"a": 1}))] {
        fixture.put(json!({"id": id, "customer": "c1", "city": city})).await;
    }
    for number in 0..30 {
        fixture.put(order(number)).await;
    }
    fixture.put(json!({"id": "x4", "customer": "c2"})).await;
    let stopped = fixture.copy().await.unwrap_err();
    let CopyError::Rejected(refused) = &stopped else { panic!("{stopped}") };
    let mut ids: Vec<&str> = refused.first.iter().map(|item| item.id.as_str()).collect();
    ids.sort_unstable();
    // Null is a value of a partition key; arrays and objects are not.
    assert_eq!((refused.count, ids), (3, vec!["x2", "x3", "x4"]));
    assert!(stopped.to_string().contains("'x4' in [\"c2\"]: it has no text"), "{stopped}");
    assert_eq!(fixture.faults.requests("upsert"), 34, "only the test itself wrote");
}

#[tokio::test]
async fn items_without_the_new_key_are_skipped_on_request() {
    let fixture = Fixture::with(10).await;
    fixture.put(json!({"id": "x", "customer": "c2"})).await;
    let skipping = || {
        let mut plan = fixture.plan();
        plan.on_rejected = OnRejected::Skip;
        plan
    };
    let copied = fixture.copy_by(skipping()).await.unwrap();
    assert_eq!((copied.copied, copied.refused.count, copied.rejected_total), (10, 1, 1));
    // A later run still knows of it.
    let again = fixture.copy_by(skipping()).await.unwrap();
    assert_eq!((again.copied, again.refused.count, again.rejected_total), (0, 0, 1));
}
