//! All preparations of one transaction, and how the transaction finds them.
//!
//! Owns the choice between what was prepared and work inside the writer, and the limit of the latter. Does not own what
//! is prepared.

use std::collections::HashMap;

use storage::{StorageKey, Write};

use super::base_version::BaseVersion;
use super::prepared_put::PreparedPut;
use super::prepared_removal::PreparedRemoval;
use crate::error::Error;
use crate::key_layout::ItemKey;
use crate::partition::Abort;
use crate::record::ItemRecord;
use crate::transaction::WrittenItem;
use crate::transaction::item_transaction::ItemTransaction;
use crate::transaction::written_item::RemovalCost;

/// What was prepared of one operation.
#[derive(Debug)]
pub(crate) enum PreparedOperation {
    Put(Box<PreparedPut>),
    Removal(Box<PreparedRemoval>),
    /// The operation cannot be done with this version of the item.
    Refused(BaseVersion, Error),
}

/// The preparations of a transaction.
#[derive(Debug, Default)]
pub(crate) struct Preparations {
    /// By the index of the operation. Operations that need none, or whose preparation was used up, have none.
    operations: HashMap<usize, PreparedOperation>,
    /// Removals of expired items, which any operation may meet.
    removals: HashMap<StorageKey, PreparedRemoval>,
}

impl Preparations {
    pub(crate) fn insert(&mut self, operation: usize, prepared: PreparedOperation) {
        self.operations.insert(operation, prepared);
    }

    pub(crate) fn insert_removal(&mut self, key: &ItemKey, prepared: PreparedRemoval) {
        self.removals.insert(key.as_bytes().clone(), prepared);
    }

    /// What the put of an operation will write.
    pub(crate) fn put(&self, operation: usize) -> Option<&PreparedPut> {
        match self.operations.get(&operation) {
            Some(PreparedOperation::Put(prepared)) => Some(prepared),
            _ => None,
        }
    }
}

impl<'run> ItemTransaction<'run> {
    /// Gives the transaction what was prepared for it. Then all of its puts must be prepared.
    pub(crate) fn with_preparations(mut self, prepared: Option<&'run mut Preparations>) -> Self {
        self.prepared = prepared;
        self
    }

    /// Begins an operation of the transaction.
    pub(crate) fn begin_operation(&mut self, index: usize) {
        self.operation = index;
    }

    /// Whether the puts of this transaction were prepared.
    pub(crate) fn is_prepared(&self) -> bool {
        self.prepared.is_some()
    }

    /// Counts bytes of items that are parsed or indexed inside the writer.
    pub(crate) fn spend(&mut self, key: &ItemKey, bytes: usize) -> Result<(), Abort> {
        match self.item_bytes_left.checked_sub(bytes) {
            Some(left) => {
                self.item_bytes_left = left;
                Ok(())
            }
            None => Err(Abort::TooLong(key.clone())),
        }
    }

    /// Writes the put that was prepared for this operation.
    pub(crate) async fn put_prepared(
        &mut self,
        old_key: &ItemKey,
        key: &ItemKey,
        previous: Option<&ItemRecord>,
    ) -> Result<WrittenItem, Abort> {
        let keys = (old_key, key);
        let prepared = match self.take_prepared() {
            Some(PreparedOperation::Put(prepared)) if self.fits(&prepared, keys, previous) => {
                prepared
            }
            Some(PreparedOperation::Refused(base, error)) if base == BaseVersion::of(previous) => {
                return Err(Abort::Failed(error));
            }
            // Also after a commit that another process has prevented: the first run has used it up.
            _ => return Err(Abort::TooLong(key.clone())),
        };
        if let Err(abort) = self.put_unique_keys(key, &prepared).await {
            if let Some(preparations) = &mut self.prepared {
                preparations.insert(self.operation, PreparedOperation::Put(prepared));
            }
            return Err(abort);
        }
        Ok(self.finish_prepared_put(keys, previous, *prepared))
    }

    /// Writes the removal that was prepared for a version of an item, if there is one.
    pub(in crate::transaction) fn remove_prepared(
        &mut self,
        key: &ItemKey,
        record: &ItemRecord,
    ) -> Option<RemovalCost> {
        let prepared = match self.take_prepared() {
            Some(PreparedOperation::Removal(prepared))
                if self.fits_removal(&prepared, key, record) =>
            {
                *prepared
            }
            other => {
                if let (Some(other), Some(preparations)) = (other, &mut self.prepared) {
                    preparations.insert(self.operation, other);
                }
                let removal = self.prepared.as_mut()?.removals.remove(key.as_bytes())?;
                Some(removal).filter(|removal| self.fits_removal(removal, key, record))?
            }
        };
        Some(self.write_prepared_removal(key, record, prepared))
    }

    /// Adds many writes of terms.
    pub(super) fn add_writes(&mut self, mut writes: Vec<Write>) {
        if self.items.is_empty() {
            // Nothing but unique keys was written so far, and their order among terms does not matter: the many stay
            // where they are, and the few are moved.
            std::mem::swap(&mut self.set.writes, &mut writes);
        }
        self.set.writes.append(&mut writes);
    }

    fn take_prepared(&mut self) -> Option<PreparedOperation> {
        let operation = self.operation;
        self.prepared.as_mut()?.operations.remove(&operation)
    }
}
