//! Read: one item by partition key and id, straight from the store.
//!
//! Owns the point read, its session check and the read inside a batch. The text is returned as stored; nothing is
//! parsed, nothing waits for the writer.

use model::{Lsn, Precondition, PreconditionResult};

use super::input::item_key;
use super::replace::not_found;
use super::stored::{Halt, ItemRecord, Turn};
use super::submit::{item_of, locate, outcome};
use crate::charge::{nothing_found, point_read};
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::{ITEMS, ItemKey};
use crate::operation::ReadItem;
use crate::outcome::{Outcome, ReadAnswer};
use crate::partition::ItemAnswer;
use crate::session;
use crate::usage::{Amount, OperationKind, Visit};

impl Engine {
    /// Reads an item.
    ///
    /// # Errors
    /// `NotFound` when there is none or it has expired, `SessionNotAvailable` for a token from the future.
    pub async fn read_item(&self, operation: ReadItem) -> Result<Outcome<ReadAnswer>> {
        let container = self.container(&operation.container)?;
        let key = item_key(&container.identity, &operation.partition_key, &operation.id)?;
        let epk = key.epk();
        let now = self.now();
        loop {
            let partition = locate(&container, &epk)?;
            let (kind, logical) = (OperationKind::Read, Some(key.logical()));
            let visit = Visit::begin(&container, &partition, kind, now, logical)?;
            session::check(operation.options.session_token.as_ref(), &partition)?;
            let stored = self.store().get(partition.identity.shard, ITEMS, key.as_bytes()).await?;
            if partition.published.is_retired() {
                // Rare and large: a read must not carry it around.
                Box::pin(self.map_after(&container, &partition)).await?;
                continue;
            }
            let record = stored.map(ItemRecord::decode).transpose()?;
            let live = container.live();
            let record = record.filter(|record| !live.is_expired(&record.header, now));
            let level = self.read_level(&operation.options);
            let Some(record) = record else {
                let absent = not_found(operation.id.as_str()).with_charge(nothing_found(level));
                return visit.end(Err(absent), |_| Amount::default());
            };
            let bytes = record.own_bytes();
            let answer = answer(operation.options.precondition.as_ref(), record);
            let bytes = matches!(answer, ReadAnswer::Found(_)).then_some(bytes);
            let charge = bytes.map_or(nothing_found(level), |bytes| point_read(bytes, level));
            let lsn = partition.published.lsn();
            let outcome = outcome(answer, charge, partition.identity.number, lsn);
            let explain = operation.options.explain_charge;
            let explanation = explain.then(|| self.explain_read(bytes, level));
            visit.spent(charge, Amount { items: 1, bytes: bytes.unwrap_or(0) });
            self.look_at_read(&container, &outcome);
            return Ok(Outcome { explanation, ..outcome });
        }
    }
}

/// The item, or "not modified".
pub(crate) fn answer(precondition: Option<&Precondition>, record: ItemRecord) -> ReadAnswer {
    if is_unmodified(precondition, &record) {
        return ReadAnswer::NotModified(record.header.etag);
    }
    let lsn = record.header.position.lsn;
    ReadAnswer::Found(item_of(record, lsn))
}

fn is_unmodified(precondition: Option<&Precondition>, record: &ItemRecord) -> bool {
    let Some(precondition @ Precondition::IfNoneMatch(_)) = precondition else { return false };
    precondition.check(Some(&record.header.etag.to_string())) != PreconditionResult::Proceed
}

/// Reads inside a turn, as the batch has left the item so far.
pub(crate) async fn read_in_batch(
    turn: &mut Turn<'_>,
    key: &ItemKey,
    precondition: Option<&Precondition>,
) -> std::result::Result<ItemAnswer, Halt> {
    let Some(record) = turn.current(key).await? else {
        return Err(Halt::Failed(not_found(key.id())));
    };
    if is_unmodified(precondition, &record) {
        return Ok(ItemAnswer::NotModified(record));
    }
    Ok(ItemAnswer::Found(record))
}

/// The lsn of a record read inside a batch: zero stands for the batch's own.
pub(crate) fn lsn_in_batch(record: &ItemRecord, batch: Lsn) -> Lsn {
    match record.header.position.lsn {
        Lsn::ZERO => batch,
        lsn => lsn,
    }
}
