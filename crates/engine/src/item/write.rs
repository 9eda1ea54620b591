//! Item writes as transactions: one write alone, or a batch of them.
//!
//! Owns the enum of all item writes and the dispatch to the verbs. Does not own the verbs (one file each) or what they
//! write (`transaction`).

use model::charge::IndexCost;
use model::limits::PAGE_BYTES_MAX;
use model::{Json, Patch, Precondition};

use super::create::create;
use super::delete::delete;
use super::input::NewItem;
use super::patch::patch;
use super::patch_condition::PatchCondition;
use super::read::read_in_batch;
use super::replace::{ReplaceOptions, replace};
use super::upsert::upsert;
use crate::charge::Weight;
use crate::error::{Error, ErrorKind};
use crate::key_layout::ItemKey;
use crate::operation::WriteOptions;
use crate::partition::{Abort, PartitionTransaction, PreparedTransaction, TransactionContext};
use crate::record::ItemRecord;
use crate::transaction::{ItemTransaction, Preparations, WrittenItem};

/// One item write (or a read inside a batch).
#[derive(Debug)]
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
        /// The key of the item under its old id, if the replace renames it.
        renamed_from: Option<ItemKey>,
        precondition: Option<Precondition>,
        indexed: bool,
        explain: bool,
    },
    Patch {
        key: ItemKey,
        patch: Patch,
        /// Bytes of its values; more may not be counted.
        bytes: usize,
        /// The parsed condition of the patch.
        condition: Option<PatchCondition>,
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
    /// The whole item that is written, if the request contains it.
    pub(crate) fn new_item(&self) -> Option<&Json> {
        match self {
            Self::Create { new, .. } | Self::Upsert { new, .. } | Self::Replace { new, .. } => {
                Some(&new.item)
            }
            Self::Patch { .. } | Self::Delete { .. } | Self::Read { .. } => None,
        }
    }

    /// Whether it leaves a version of an item.
    pub(crate) fn puts(&self) -> bool {
        !matches!(self, Self::Delete { .. } | Self::Read { .. })
    }

    /// Runs it inside a transaction.
    pub(crate) async fn apply(
        &mut self,
        transaction: &mut ItemTransaction<'_>,
    ) -> Result<ItemWriteResult, Abort> {
        match self {
            Self::Create { new, indexed, explain } => {
                create(transaction, new, *indexed, *explain).await
            }
            Self::Upsert { new, precondition, indexed, explain } => {
                upsert(transaction, new, precondition.as_ref(), *indexed, *explain).await
            }
            Self::Replace { new, renamed_from, precondition, indexed, explain } => {
                let options = ReplaceOptions {
                    precondition: precondition.as_ref(),
                    indexed: *indexed,
                    explain: *explain,
                };
                replace(transaction, new, renamed_from.as_ref(), options).await
            }
            Self::Patch { key, patch: operations, bytes, condition, options } => {
                patch(transaction, key, (operations, *bytes), condition.as_ref(), options).await
            }
            Self::Delete { key, precondition, explain } => {
                delete(transaction, key, precondition.as_ref(), *explain).await
            }
            Self::Read { key, precondition } => {
                read_in_batch(transaction, key, precondition.as_ref()).await
            }
        }
    }
}

/// What one item write did.
#[derive(Debug)]
pub(crate) enum ItemWriteResult {
    Written { item: WrittenItem, patch_operations: usize },
    Deleted { old: Weight, index: Option<Vec<IndexCost>> },
    Found(ItemRecord),
    NotModified(ItemRecord),
}

impl ItemWriteResult {
    /// Whether the item is new.
    pub(crate) fn has_created(&self) -> bool {
        matches!(self, Self::Written { item, .. } if item.cost.created)
    }

    /// Bytes of an item that was read. What a write leaves is bounded by the request, and the caller may leave it out.
    fn read_bytes(&self) -> usize {
        match self {
            Self::Found(record) => record.body_len(),
            Self::Written { .. } | Self::Deleted { .. } | Self::NotModified(_) => 0,
        }
    }
}

fn response_too_large(bytes: usize) -> Error {
    Error::new(
        ErrorKind::TooLarge,
        format!(
            "Response size is too large: the items of the batch have more than {bytes} bytes, at most \
             {PAGE_BYTES_MAX} are allowed. Send several batches."
        ),
    )
}

/// One item write alone.
#[derive(Debug)]
pub(crate) struct SingleWrite {
    pub(crate) write: ItemWrite,
    /// What was prepared outside of the writer.
    pub(crate) prepared: Option<Box<Preparations>>,
}

impl PartitionTransaction for SingleWrite {
    type Response = ItemWriteResult;
    type Failure = Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> Result<(PreparedTransaction, ItemWriteResult), Abort> {
        let mut transaction =
            ItemTransaction::new(context).with_preparations(self.prepared.as_deref_mut());
        let result = self.write.apply(&mut transaction).await?;
        Ok((transaction.finish(), result))
    }
}

/// Item writes that succeed or fail together.
pub(crate) struct BatchWrite {
    pub(crate) writes: Vec<ItemWrite>,
    /// What was prepared outside of the writer.
    pub(crate) prepared: Option<Box<Preparations>>,
}

/// A batch of which nothing was written.
pub(crate) struct BatchFailure {
    /// Index of the write that failed; none if the batch failed as a whole.
    pub(crate) index: Option<usize>,
    pub(crate) error: Error,
    /// The results of the writes before it, which were not committed.
    pub(crate) before: Vec<ItemWriteResult>,
}

impl From<Error> for BatchFailure {
    fn from(error: Error) -> Self {
        Self { index: Some(0), error, before: Vec::new() }
    }
}

impl PartitionTransaction for BatchWrite {
    type Response = Vec<ItemWriteResult>;
    type Failure = BatchFailure;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> Result<(PreparedTransaction, Vec<ItemWriteResult>), Abort<BatchFailure>> {
        let mut transaction =
            ItemTransaction::new(context).with_preparations(self.prepared.as_deref_mut());
        let mut results: Vec<ItemWriteResult> = Vec::with_capacity(self.writes.len());
        let mut response_bytes = 0;
        for (index, write) in self.writes.iter_mut().enumerate() {
            transaction.begin_operation(index);
            match write.apply(&mut transaction).await {
                Ok(result) => {
                    response_bytes += result.read_bytes();
                    results.push(result);
                }
                Err(Abort::Failed(error)) => {
                    // Dropping the transaction undoes the operations before: nothing has left it yet.
                    let (index, before) = (Some(index), results);
                    return Err(Abort::Failed(BatchFailure { index, error, before }));
                }
                // The whole batch runs again, because it must see one state.
                Err(Abort::Deferred) => return Err(Abort::Deferred),
                Err(Abort::TooLong(key)) => return Err(Abort::TooLong(key)),
            }
            // Before the commit: a batch whose results cannot be returned must not have happened.
            if response_bytes > PAGE_BYTES_MAX {
                let (index, error) = (None, response_too_large(response_bytes));
                return Err(Abort::Failed(BatchFailure { index, error, before: Vec::new() }));
            }
        }
        Ok((transaction.finish(), results))
    }
}
