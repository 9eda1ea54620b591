//! Delete by partition key: every item of one logical partition, in steps.
//!
//! Owns the loop at the border and one step inside the turn. Each step is atomic; the whole is not, as in the service.

use model::{RequestCharge, SessionToken};
use storage::{KeyRange, Scan, ScanLimit};

use super::input::{check_partition_key, logical_partition};
use super::stored::{Halt, Removal, Turn};
use super::submit::{locate, unexpected};
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{ITEMS, ItemKey, LogicalPartition};
use crate::operation::DeleteByPartitionKey;
use crate::outcome::Outcome;
use crate::partition::{Work, WorkAnswer};
use crate::usage::{Amount, OperationKind, Visit};

/// Items deleted in one transaction.
const STEP_ITEMS: usize = 100;

impl Engine {
    /// Deletes all items of a logical partition and says how many there were.
    ///
    /// # Errors
    /// `PartitionKeyMismatch` for an incomplete partition key.
    pub async fn delete_by_partition_key(
        &self,
        operation: DeleteByPartitionKey,
    ) -> Result<Outcome<u64>> {
        let container = self.container(&operation.container)?;
        check_partition_key(&container.identity, &operation.partition_key)?;
        let partition = logical_partition(&container.identity, &operation.partition_key);
        let epk = container.identity.definition.effective(&operation.partition_key);
        let owner = locate(&container, &epk)?;
        let (kind, logical) = (OperationKind::DeletePartition, Some(partition.logical()));
        let visit = Visit::begin(&container, &owner, kind, self.now(), logical)?;
        let mut deleted = 0;
        let mut charge = RequestCharge::default();
        loop {
            let work =
                Work::DeletePartition { partition: partition.clone(), items_max: STEP_ITEMS };
            let submitted =
                self.submit(&container, &epk, work).await.map_err(|failure| failure.error)?;
            let WorkAnswer::DeletedItems { weights, more } = submitted.answer else {
                return Err(unexpected());
            };
            deleted += weights.len() as u64;
            charge = weights.into_iter().fold(charge, |sum, weight| sum + charge::delete(weight));
            if !more {
                let items = usize::try_from(deleted).unwrap_or(usize::MAX);
                visit.spent(charge, Amount { items, bytes: 0 });
                let token = SessionToken::new(submitted.partition, submitted.lsn);
                return Ok(Outcome {
                    value: deleted,
                    charge,
                    session_token: Some(token),
                    explanation: None,
                });
            }
        }
    }
}

/// Deletes some items inside a turn.
pub(crate) async fn delete_partition(
    turn: &mut Turn<'_>,
    partition: &LogicalPartition,
    items_max: usize,
) -> std::result::Result<WorkAnswer, Halt> {
    turn.require_first()?;
    let scan = Scan::forward(KeyRange::prefix(partition.as_bytes()), ScanLimit::entries(items_max));
    let shard = turn.context.partition.shard;
    let page = turn.context.store.scan(shard, ITEMS, &scan).await?;
    let levels = turn.context.container.levels();
    let mut weights = Vec::with_capacity(page.entries.len());
    for entry in page.entries {
        let key = ItemKey::decode(entry.key, levels)
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
        let Some(record) = turn.stored(&key).await? else { continue };
        let expired = turn.context.live.is_expired(&record.header, turn.context.now);
        let removal = if expired { Removal::Expired } else { Removal::Deleted };
        let weight = turn.remove(&key, &record, removal)?;
        if !expired {
            weights.push(weight);
        }
    }
    Ok(WorkAnswer::DeletedItems { weights, more: page.more })
}
