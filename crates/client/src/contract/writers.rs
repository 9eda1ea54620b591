//! Promises about items that several programs write.

use model::PartitionKey;
use serde::{Deserialize, Serialize};

use super::ContractFixture;
use super::check::{AccountCaseResult, AccountViolation, TestOrder, equal, fails_with};
use crate::error::ErrorKind;

/// What a program knows of a larger item.
#[derive(Serialize, Deserialize)]
struct KnownProperties {
    id: String,
    customer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    address: PostalAddress,
}

#[derive(Serialize, Deserialize)]
struct PostalAddress {
    street: String,
}

pub(super) async fn what_a_type_does_not_know_survives_a_save(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("unknown");
    let key = PartitionKey::from(customer.as_str());
    let whole = serde_json::json!({
        "id": "1", "customer": customer, "note": "old", "total": 12345678901234567_i64,
        "address": { "street": "A", "floor": 3 }, "tags": ["x", null],
    });
    fixture.orders.create(&key, &whole).await?;
    let mut item = fixture.orders.read::<KnownProperties>(&key, "1").await?.value;
    item.value.note = None;
    "B".clone_into(&mut item.value.address.street);
    fixture.orders.save(&key, &item).await?;
    let mut stored = fixture.orders.read::<serde_json::Value>(&key, "1").await?.value.value;
    if let Some(object) = stored.as_object_mut() {
        object.retain(|name, _| !name.starts_with('_'));
    }
    let expected = serde_json::json!({
        "id": "1", "customer": customer, "total": 12345678901234567_i64,
        "address": { "street": "B", "floor": 3 }, "tags": ["x", null],
    });
    equal("what is stored", stored, expected)?;
    let stale = fixture.orders.save(&key, &item).await;
    fails_with("saved again from the old state", stale, ErrorKind::Precondition)
}

pub(super) async fn modifications_at_the_same_time_are_all_kept(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("counter");
    let key = PartitionKey::from(customer.as_str());
    fixture.orders.create(&key, &TestOrder::new("1", &customer, 0)).await?;
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (orders, key) = (fixture.orders.clone(), key.clone());
        writers.spawn(async move {
            for _ in 0..5 {
                orders
                    .modify(&key, "1", |order: &mut TestOrder| {
                        order.total += 1;
                        Ok::<(), crate::error::Error>(())
                    })
                    .await?;
            }
            Ok::<(), crate::error::Error>(())
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended.map_err(|error| AccountViolation::new(error.to_string()))??;
    }
    equal("the sum", fixture.orders.read::<TestOrder>(&key, "1").await?.value.value.total, 40)
}

pub(super) async fn a_modification_that_changes_nothing_writes_nothing(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("same");
    let key = PartitionKey::from(customer.as_str());
    let created = fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    let same = |order: &mut TestOrder| {
        order.total = 1;
        Ok::<(), crate::error::Error>(())
    };
    let modified = fixture.orders.modify(&key, "1", same).await?;
    equal("its etag", modified.etag, created.etag)
}

pub(super) async fn a_refused_modification_ends_the_loop(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("refusing");
    let key = PartitionKey::from(customer.as_str());
    fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    let refuse = |_: &mut TestOrder| Err::<(), AccountViolation>(AccountViolation::new("sold out"));
    let refused = fixture.orders.modify(&key, "1", refuse).await;
    equal("the reason", refused.err().map(|error| error.to_string()), Some("sold out".to_owned()))
}
