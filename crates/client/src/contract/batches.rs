//! Promises about transactional batches.

use model::PartitionKey;

use super::ContractFixture;
use super::check::{AccountCaseResult, TestOrder, equal, fails_with, holds, some};
use crate::error::ErrorKind;
use crate::item::ItemBatch;

pub(super) async fn a_batch_does_everything(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("batch");
    let key = PartitionKey::from(customer.as_str());
    let order = |id: &str, total| TestOrder::new(id, &customer, total);
    fixture.orders.create(&key, &order("old", 1)).await?;
    fixture.orders.create(&key, &order("replaced", 1)).await?;
    let batch = ItemBatch::new()
        .create(&order("new", 2))?
        .upsert(&order("upserted", 3), None)?
        .replace(&order("replaced", 4), None)?
        .delete("old", None)?
        .read("replaced")?;
    let answers = fixture.orders.batch(&key, batch).await?;
    equal("answers", answers.value.len(), 5)?;
    holds("a batch has a charge", answers.charge > 0.0)?;
    let read = some("the answer of the read", answers.value.last())?;
    let read = some("the item read", read.item::<TestOrder>()?)?;
    equal("read inside the batch", read.value.total, 4)?;
    let created = some("the first answer", answers.value.first())?;
    holds("a created item has an etag", created.etag().is_some())?;
    for (id, total) in [("new", 2), ("upserted", 3), ("replaced", 4)] {
        equal(id, fixture.orders.read::<TestOrder>(&key, id).await?.value.value.total, total)?;
    }
    fails_with("old", fixture.orders.read::<TestOrder>(&key, "old").await, ErrorKind::NotFound)
}

pub(super) async fn a_batch_that_fails_does_nothing_and_names_the_operation(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("rolled-back");
    let key = PartitionKey::from(customer.as_str());
    let order = |id: &str| TestOrder::new(id, &customer, 1);
    let etag = some("an etag", fixture.orders.create(&key, &order("taken")).await?.etag)?;
    fixture.orders.replace(&key, &TestOrder { total: 2, ..order("taken") }, None).await?;
    let conflict = ItemBatch::new().create(&order("new"))?.create(&order("taken"))?;
    let stale = ItemBatch::new().create(&order("new"))?.delete("taken", Some(&etag))?;
    let missing = ItemBatch::new().create(&order("new"))?.delete("missing", None)?;
    let batches = [
        (conflict, ErrorKind::Conflict),
        (stale, ErrorKind::Precondition),
        (missing, ErrorKind::NotFound),
    ];
    for (batch, kind) in batches {
        let result = fixture.orders.batch(&key, batch).await;
        let failed = result.as_ref().err().and_then(crate::error::Error::failed_operation);
        equal(&format!("the operation that failed with {kind:?}"), failed, Some(1))?;
        fails_with("the batch", result, kind)?;
        let new = fixture.orders.read::<TestOrder>(&key, "new").await;
        fails_with("the first operation of it", new, ErrorKind::NotFound)?;
    }
    Ok(())
}
