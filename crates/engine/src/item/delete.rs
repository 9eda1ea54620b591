//! Delete: an item goes, its trace stays in the versions for the all-versions feed.
//!
//! Owns the verb at the border and inside the turn.

use model::Precondition;

use super::input::item_key;
use super::replace::{check_precondition, not_found};
use super::stored::{Halt, Removal, Turn};
use super::submit::{Submitted, locate, outcome, unexpected};
use crate::charge;
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::ItemKey;
use crate::operation::{DeleteItem, WriteOptions};
use crate::outcome::Outcome;
use crate::partition::{ItemAnswer, ItemWrite};
use crate::usage::{Amount, OperationKind, Visit};

impl Engine {
    /// Deletes an item.
    ///
    /// # Errors
    /// `NotFound` when there is none, `PreconditionFailed` when its etag is another.
    pub async fn delete_item(&self, operation: DeleteItem) -> Result<Outcome<()>> {
        let container = self.container(&operation.container)?;
        let key = item_key(&container.identity, &operation.partition_key, &operation.id)
            .map_err(charge::refused_write)?;
        let epk = key.epk();
        let (place, partition) = (key.clone(), locate(&container, &epk)?);
        let (kind, logical) = (OperationKind::Delete, Some(place.logical()));
        let visit = Visit::begin(&container, &partition, kind, self.now(), logical)?;
        let WriteOptions { precondition, explain_charge: explain, .. } = operation.options;
        let write = ItemWrite::Delete { key, precondition, explain };
        let deleted = self.submit_item(&container, &epk, write).await.and_then(|submitted| {
            let Submitted { answer, partition, lsn } = submitted;
            let ItemAnswer::Deleted { old, index } = answer else { return Err(unexpected()) };
            let explanation = index.map(|index| self.explain_delete(old, &index));
            let outcome = outcome((), charge::delete(old), partition, lsn);
            Ok(Outcome { explanation, ..outcome })
        });
        visit.end(deleted, |()| Amount { items: 1, bytes: 0 })
    }
}

/// Deletes inside a turn.
pub(crate) async fn delete(
    turn: &mut Turn<'_>,
    key: &ItemKey,
    precondition: Option<&Precondition>,
    explain: bool,
) -> std::result::Result<ItemAnswer, Halt> {
    let Some(current) = turn.current(key).await? else {
        return Err(Halt::Failed(not_found(key.id())));
    };
    check_precondition(precondition, &current)?;
    let item = explain.then(|| current.parse()).transpose()?;
    let index = item.map(|item| turn.index_costs(key, Some(&current), Some(&item)));
    let old = turn.remove(key, &current, Removal::Deleted)?;
    Ok(ItemAnswer::Deleted { old, index })
}
