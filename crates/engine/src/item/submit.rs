//! The way of an item write from the border to the partition's writer and back.
//!
//! Owns locating (again, when the partition was split meanwhile) and the answer's outer parts. Does not own the turn.

use std::sync::Arc;

use model::{EffectivePartitionKey, Lsn, RequestCharge, SessionToken};

use crate::catalog::Container;
use crate::charge::refused_write;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::ItemKey;
use crate::outcome::{Item, Outcome};
use crate::partition::{ItemAnswer, ItemWrite, Partition, Work, WorkAnswer, WorkFailure};
use crate::usage::{Amount, OperationKind, Visit};

use super::stored::ItemRecord;

/// A transaction's answer with where and when it happened.
pub(crate) struct Submitted<T> {
    pub(crate) answer: T,
    pub(crate) partition: u32,
    pub(crate) lsn: Lsn,
}

impl Engine {
    /// Hands work to the writer that owns `epk`. A split or merge on the way only means to look again.
    pub(crate) async fn submit(
        &self,
        container: &Arc<Container>,
        epk: &EffectivePartitionKey,
        work: Work,
    ) -> std::result::Result<Submitted<WorkAnswer>, WorkFailure> {
        loop {
            let partition = locate(container, epk)?;
            match partition.submit(work.clone()).await {
                Ok((answer, lsn)) => {
                    return Ok(Submitted { answer, partition: partition.identity.number, lsn });
                }
                Err(failure) if failure.error.kind() == ErrorKind::PartitionGone => {
                    self.map_after(container, &partition).await?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Hands one item write to its partition.
    pub(crate) async fn submit_item(
        &self,
        container: &Arc<Container>,
        epk: &EffectivePartitionKey,
        write: ItemWrite,
    ) -> Result<Submitted<ItemAnswer>> {
        let work = Work::Items(vec![write]);
        let submitted = self.submit(container, epk, work).await;
        let submitted = submitted.map_err(|failure| refused_write(failure.error))?;
        let WorkAnswer::Items(answers) = submitted.answer else { return Err(unexpected()) };
        let answer = answers.into_iter().next().ok_or_else(unexpected)?;
        Ok(Submitted { answer, partition: submitted.partition, lsn: submitted.lsn })
    }

    /// Writes one item, paid and counted; also tells whether it is new.
    pub(crate) async fn write_item(
        &self,
        container: &Arc<Container>,
        kind: OperationKind,
        key: &ItemKey,
        write: ItemWrite,
    ) -> Result<(Outcome<Item>, bool)> {
        let epk = key.epk();
        let partition = locate(container, &epk)?;
        let logical = Some(key.logical());
        let visit = Visit::begin(container, &partition, kind, self.now(), logical)?;
        let object = write.new_object();
        let mut is_new = false;
        let written = self.submit_item(container, &epk, write).await.and_then(|submitted| {
            let (outcome, created) = self.written_outcome(submitted)?;
            is_new = created;
            Ok(outcome)
        });
        let written = visit.end(written, |item| Amount { items: 1, bytes: item.text().len() })?;
        let item = (&written.value, written.charge);
        self.look_at_written(container, kind, object.as_deref(), item);
        Ok((written, is_new))
    }

    /// The written item of a submitted write.
    fn written_outcome(&self, submitted: Submitted<ItemAnswer>) -> Result<(Outcome<Item>, bool)> {
        let Submitted { answer, partition, lsn } = submitted;
        let ItemAnswer::Written { written, patch_operations } = answer else {
            return Err(unexpected());
        };
        let charge = self.write_charge(&written, patch_operations);
        let explanation = self.explain_write(&written, patch_operations);
        let created = written.created;
        let outcome = outcome(item_of(written.record, lsn), charge, partition, lsn);
        Ok((Outcome { explanation, ..outcome }, created))
    }
}

/// The partition that owns `epk` now.
pub(crate) fn locate(container: &Container, epk: &EffectivePartitionKey) -> Result<Arc<Partition>> {
    container
        .map()
        .locate(epk)
        .cloned()
        .ok_or_else(|| Error::corrupt("the partition map of a container has a gap"))
}

pub(crate) fn unexpected() -> Error {
    Error::corrupt("the writer answered another question than was asked")
}

/// The item a caller gets: the stored text, with the lsn the commit was given.
pub(crate) fn item_of(record: ItemRecord, lsn: Lsn) -> Item {
    let header = record.header;
    Item::new(record.into_body(), header.etag, lsn, header.timestamp)
}

/// The outcome of an item write.
pub(crate) fn outcome<T>(value: T, charge: RequestCharge, partition: u32, lsn: Lsn) -> Outcome<T> {
    Outcome {
        value,
        charge,
        session_token: Some(SessionToken::new(partition, lsn)),
        explanation: None,
    }
}
