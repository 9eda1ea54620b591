//! What can be asked of a partition's writer, and what it answers.
//!
//! Owns the requests and the one function that runs them inside a turn. Does not own the verbs: items are written by
//! the functions in `item/`, maintenance by the files that know it.

use std::sync::Arc;

use ::query::ItemPredicate;
use model::charge::IndexCost;
use model::{Object, Patch, Precondition, RequestCharge};

use crate::charge::Weight;
use crate::error::Error;
use crate::expiry;
use crate::index::{RebuildStep, rebuild_step};
use crate::item::{self, Halt, ItemRecord, NewItem, Turn, Written};
use crate::key_layout::{ItemKey, LogicalPartition};
use crate::operation::WriteOptions;

/// One item write (or a read inside a batch).
#[derive(Clone, Debug)]
pub(crate) enum ItemWrite {
    Create {
        new: NewItem,
        indexed: bool,
        explain: bool,
    },
    Upsert {
        new: NewItem,
        precondition: Option<Precondition>,
        indexed: bool,
        explain: bool,
    },
    Replace {
        new: NewItem,
        precondition: Option<Precondition>,
        indexed: bool,
        explain: bool,
    },
    Patch {
        key: ItemKey,
        patch: Patch,
        /// The condition of the patch, read.
        condition: Option<Arc<ItemPredicate>>,
        options: WriteOptions,
    },
    Delete {
        key: ItemKey,
        precondition: Option<Precondition>,
        explain: bool,
    },
    Read {
        key: ItemKey,
        precondition: Option<Precondition>,
    },
}

impl ItemWrite {
    /// The whole item that is written, if the request has it.
    pub(crate) fn new_object(&self) -> Option<Arc<Object>> {
        match self {
            Self::Create { new, .. } | Self::Upsert { new, .. } | Self::Replace { new, .. } => {
                Some(Arc::clone(&new.object))
            }
            Self::Patch { .. } | Self::Delete { .. } | Self::Read { .. } => None,
        }
    }
}

/// What one item write did.
#[derive(Clone, Debug)]
pub(crate) enum ItemAnswer {
    Written { written: Written, patch_operations: usize },
    Deleted { old: Weight, index: Option<Vec<IndexCost>> },
    Found(ItemRecord),
    NotModified(ItemRecord),
}

/// Background work of one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaintenanceWork {
    Expire { items_max: usize },
    Rebuild { items_max: usize },
    Trim { items_max: usize },
}

/// A transaction for the writer.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Item writes that succeed or fail together.
    Items(Vec<ItemWrite>),
    /// Deletes some items of one logical partition.
    DeletePartition { partition: LogicalPartition, items_max: usize },
    /// Background work.
    Maintenance(MaintenanceWork),
}

/// The answer to a transaction.
#[derive(Clone, Debug)]
pub(crate) enum WorkAnswer {
    Items(Vec<ItemAnswer>),
    /// Weights of the deleted items, and whether there may be more.
    DeletedItems {
        weights: Vec<Weight>,
        more: bool,
    },
    /// How many items or versions were handled, what that costs, and whether there may be more.
    Maintained {
        handled: usize,
        charge: RequestCharge,
        more: bool,
    },
}

/// A transaction that was not committed.
#[derive(Debug)]
pub(crate) struct WorkFailure {
    /// Which of several item writes failed.
    pub(crate) index: usize,
    pub(crate) error: Error,
}

impl From<Error> for WorkFailure {
    fn from(error: Error) -> Self {
        Self { index: 0, error }
    }
}

/// Runs a transaction inside a turn. A failure leaves nothing behind: the caller drops the turn.
pub(crate) async fn run(work: &Work, turn: &mut Turn<'_>) -> Result<WorkAnswer, (usize, Halt)> {
    match work {
        Work::Items(writes) => {
            let mut answers = Vec::with_capacity(writes.len());
            for (index, write) in writes.iter().enumerate() {
                answers.push(run_item(write, turn).await.map_err(|halt| (index, halt))?);
            }
            Ok(WorkAnswer::Items(answers))
        }
        Work::DeletePartition { partition, items_max } => {
            item::delete_partition(turn, partition, *items_max).await.map_err(|halt| (0, halt))
        }
        Work::Maintenance(maintenance) => {
            run_maintenance(*maintenance, turn).await.map_err(|halt| (0, halt))
        }
    }
}

async fn run_item(write: &ItemWrite, turn: &mut Turn<'_>) -> Result<ItemAnswer, Halt> {
    match write {
        ItemWrite::Create { new, indexed, explain } => {
            item::create(turn, new, *indexed, *explain).await
        }
        ItemWrite::Upsert { new, precondition, indexed, explain } => {
            item::upsert(turn, new, precondition.as_ref(), *indexed, *explain).await
        }
        ItemWrite::Replace { new, precondition, indexed, explain } => {
            item::replace(turn, new, precondition.as_ref(), *indexed, *explain).await
        }
        ItemWrite::Patch { key, patch, condition, options } => {
            item::patch(turn, key, patch, condition.as_deref(), options).await
        }
        ItemWrite::Delete { key, precondition, explain } => {
            item::delete(turn, key, precondition.as_ref(), *explain).await
        }
        ItemWrite::Read { key, precondition } => {
            item::read_in_batch(turn, key, precondition.as_ref()).await
        }
    }
}

async fn run_maintenance(work: MaintenanceWork, turn: &mut Turn<'_>) -> Result<WorkAnswer, Halt> {
    match work {
        MaintenanceWork::Expire { items_max } => expiry::expire(turn, items_max).await,
        MaintenanceWork::Rebuild { items_max } => {
            let RebuildStep { handled, more } = rebuild_step(turn, items_max).await?;
            Ok(WorkAnswer::Maintained { handled, charge: RequestCharge::ZERO, more })
        }
        MaintenanceWork::Trim { items_max } => expiry::trim_versions(turn, items_max).await,
    }
}
