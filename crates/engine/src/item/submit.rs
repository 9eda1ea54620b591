//! The way of an item write from the operation to the partition's writer and back.
//!
//! Owns locating the partition (again, if it was split meanwhile) and the response around the written item. Does not
//! own the transaction.

use std::sync::Arc;

use model::{EffectivePartitionKey, Lsn, RequestCharge, SessionToken};

use super::large::{PreparableTransaction, WritePreparation};
use super::write::{ItemWrite, ItemWriteResult, SingleWrite};
use crate::catalog::ContainerEntry;
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::ItemKey;
use crate::metering::{Amount, OperationKind};
use crate::partition::{Completion, PartitionTransaction, PhysicalPartition};
use crate::response::{ItemResource, Response};
use crate::throughput::Admission;

/// The response of a committed transaction, with the partition and the lsn of the commit.
pub(crate) struct Committed<T: PartitionTransaction> {
    pub(crate) transaction: T,
    pub(crate) response: T::Response,
    pub(crate) partition: u32,
    pub(crate) lsn: Lsn,
}

impl Engine {
    /// Submits a transaction to the writer that owns `epk`. If that partition was split or merged away meanwhile, the
    /// transaction goes to its successor. If it is too long for the writer, it is prepared outside.
    pub(crate) async fn submit<T: PreparableTransaction>(
        &self,
        container: &Arc<ContainerEntry>,
        epk: &EffectivePartitionKey,
        mut transaction: T,
    ) -> std::result::Result<Committed<T>, T::Failure> {
        let mut preparation = WritePreparation::default();
        loop {
            // Located in each turn of the loop: after a split another partition owns the epk.
            let partition = locate(container, epk)?;
            partition.published.contention.wait_until_free(epk).await;
            let _lane = preparation.lane(&partition).await;
            if let Some(key) = preparation.wanted() {
                let prepared =
                    self.prepare(container, &partition, transaction, key, &mut preparation);
                transaction = prepared.await?;
            }
            match partition.submit(transaction).await {
                Completion::Committed(transaction, response, lsn) => {
                    let partition = partition.identity.number;
                    return Ok(Committed { transaction, response, partition, lsn });
                }
                Completion::Failed(failure, returned) => {
                    self.discard(returned);
                    return Err(failure);
                }
                Completion::TooLong(returned, key) => {
                    transaction = returned;
                    preparation.want(key)?;
                }
                // The transaction did not run, so that submitting it again cannot write twice.
                Completion::Retired(returned) => {
                    transaction = returned;
                    self.wait_for_map_without(container, &partition).await?;
                }
            }
        }
    }

    /// Submits one write.
    pub(crate) async fn submit_write(
        &self,
        container: &Arc<ContainerEntry>,
        epk: &EffectivePartitionKey,
        write: ItemWrite,
    ) -> Result<Committed<SingleWrite>> {
        self.submit(container, epk, SingleWrite { write, prepared: None }).await
    }

    /// Writes one item, with admission and metering; also returns whether the item is new.
    pub(crate) async fn write_item(
        &self,
        container: &Arc<ContainerEntry>,
        kind: OperationKind,
        key: &ItemKey,
        write: ItemWrite,
    ) -> Result<(Response<ItemResource>, bool)> {
        let epk = key.epk();
        let partition = locate(container, &epk)?;
        let request = self.metered(kind);
        let (throughput, logical) = (&container.throughput, Some(key.partition_ref()));
        let admission = Admission::new(throughput, &partition.throughput, request, logical)?;
        // The partition that commits may be a successor of the one that was asked for admission; the latter is debited.
        let committed = self.submit_write(container, &epk, write).await.map_err(refused_write);
        let mut submitted = None;
        let written = committed.and_then(|committed| {
            let (response, created, write) = self.written_response(committed)?;
            submitted = Some((write, created));
            Ok(response)
        });
        let written =
            admission.finish(written, |item| Amount { items: 1, bytes: item.text().len() })?;
        let Some((write, is_new)) = submitted else { return Err(unexpected_result()) };
        if self.is_large(written.value.text().len()) {
            let item = Some((written.value.clone(), written.charge));
            self.sample_large(container, kind, vec![(write, item)]);
        } else {
            let item = (&written.value, written.charge);
            self.sample_write(container, kind, write.new_item(), item);
        }
        Ok((written, is_new))
    }

    /// The response of a write that has left an item.
    fn written_response(
        &self,
        committed: Committed<SingleWrite>,
    ) -> Result<(Response<ItemResource>, bool, ItemWrite)> {
        let Committed { transaction, response, partition, lsn } = committed;
        let ItemWriteResult::Written { item, patch_operations } = response else {
            return Err(unexpected_result());
        };
        let charge = self.charges().write_charge(&item.cost, patch_operations);
        let explanation = self.charges().explain_write(&item.cost, patch_operations);
        let created = item.cost.created;
        let response =
            point_response(ItemResource::from_record(item.record, lsn), charge, partition, lsn);
        Ok((Response { explanation, ..response }, created, transaction.write))
    }
}

/// The partition that owns `epk` now.
pub(crate) fn locate(
    container: &ContainerEntry,
    epk: &EffectivePartitionKey,
) -> Result<Arc<PhysicalPartition>> {
    container
        .map()
        .locate(epk)
        .cloned()
        .ok_or_else(|| Error::corrupt("the partition map of a container has a gap"))
}

pub(crate) fn unexpected_result() -> Error {
    Error::corrupt("the result of an item write is of another kind than the write")
}

/// The response of an item operation at one partition.
pub(crate) fn point_response<T>(
    value: T,
    charge: RequestCharge,
    partition: u32,
    lsn: Lsn,
) -> Response<T> {
    Response {
        value,
        charge,
        session_token: Some(SessionToken::new(partition, lsn)),
        explanation: None,
    }
}
