//! Promises about transactional batches.

use model::PartitionKey;

use super::Ground;
use super::check::{Checked, Order, equal, fails_with, holds, some};
use crate::error::ErrorKind;
use crate::item::Batch;

pub(super) async fn a_batch_does_everything(ground: Ground) -> Checked {
    let customer = ground.fresh("batch");
    let key = PartitionKey::from(customer.as_str());
    let order = |id: &str, total| Order::new(id, &customer, total);
    ground.orders.create(&key, &order("old", 1)).await?;
    ground.orders.create(&key, &order("replaced", 1)).await?;
    let batch = Batch::new()
        .create(&order("new", 2))?
        .upsert(&order("upserted", 3), None)?
        .replace(&order("replaced", 4), None)?
        .delete("old", None)?
        .read("replaced")?;
    let answers = ground.orders.batch(&key, batch).await?;
    equal("answers", answers.value.len(), 5)?;
    holds("a batch has a charge", answers.charge > 0.0)?;
    let read = some("the answer of the read", answers.value.last())?;
    let read = some("the item read", read.item::<Order>()?)?;
    equal("read inside the batch", read.value.total, 4)?;
    let created = some("the first answer", answers.value.first())?;
    holds("a created item has an etag", created.etag().is_some())?;
    for (id, total) in [("new", 2), ("upserted", 3), ("replaced", 4)] {
        equal(id, ground.orders.read::<Order>(&key, id).await?.value.value.total, total)?;
    }
    fails_with("old", ground.orders.read::<Order>(&key, "old").await, ErrorKind::NotFound)
}

pub(super) async fn a_batch_that_fails_does_nothing_and_names_the_operation(
    ground: Ground,
) -> Checked {
    let customer = ground.fresh("rolled-back");
    let key = PartitionKey::from(customer.as_str());
    let order = |id: &str| Order::new(id, &customer, 1);
    let etag = some("an etag", ground.orders.create(&key, &order("taken")).await?.etag)?;
    ground.orders.replace(&key, &Order { total: 2, ..order("taken") }, None).await?;
    let conflict = Batch::new().create(&order("new"))?.create(&order("taken"))?;
    let stale = Batch::new().create(&order("new"))?.delete("taken", Some(&etag))?;
    let missing = Batch::new().create(&order("new"))?.delete("missing", None)?;
    let batches = [
        (conflict, ErrorKind::Conflict),
        (stale, ErrorKind::Precondition),
        (missing, ErrorKind::NotFound),
    ];
    for (batch, kind) in batches {
        let result = ground.orders.batch(&key, batch).await;
        let failed = result.as_ref().err().and_then(crate::error::Error::failed_operation);
        equal(&format!("the operation that failed with {kind:?}"), failed, Some(1))?;
        fails_with("the batch", result, kind)?;
        let new = ground.orders.read::<Order>(&key, "new").await;
        fails_with("the first operation of it", new, ErrorKind::NotFound)?;
    }
    Ok(())
}
