//! Transactional batches: several operations in one logical partition, all or nothing.
//!
//! Owns building a batch and reading its results. Does not own sending it: see `resource`.

use bytes::Bytes;
use model::{ItemId, Json, Patch};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::response::EntityTag;

use super::Item;
use super::typed::{item_id, to_json};

/// Operations that are executed together, in order.
///
/// ```
/// # #[derive(serde::Serialize)] struct Device { id: &'static str, user: &'static str }
/// use planisphere_client::ItemBatch;
/// let batch = ItemBatch::new()
///     .create(&Device { id: "new", user: "ann" })?
///     .delete("old", None)?;
/// # Ok::<(), planisphere_client::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ItemBatch {
    entries: Vec<BatchItemOperation>,
}

/// One operation of a transactional batch.
#[derive(Clone, Debug)]
pub(crate) enum BatchItemOperation {
    Create { item: Json },
    Upsert { item: Json, etag: Option<EntityTag> },
    Replace { id: ItemId, item: Json, etag: Option<EntityTag> },
    Patch { id: ItemId, patch: Patch, etag: Option<EntityTag> },
    Delete { id: ItemId, etag: Option<EntityTag> },
    Read { id: ItemId },
}

/// The result of one operation of a batch.
#[derive(Clone, Debug)]
pub struct BatchItemResult {
    text: Option<Bytes>,
    etag: Option<EntityTag>,
    charge: f64,
}

impl ItemBatch {
    /// A batch without operations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an item.
    ///
    /// # Errors
    /// `BadRequest` when the value is not an item.
    pub fn create(self, value: &impl Serialize) -> Result<Self> {
        let item = to_json(value)?;
        item_id(&item)?;
        Ok(self.and(BatchItemOperation::Create { item }))
    }

    /// Creates or replaces an item.
    ///
    /// # Errors
    /// `BadRequest` when the value is not an item.
    pub fn upsert(self, value: &impl Serialize, if_match: Option<&EntityTag>) -> Result<Self> {
        let item = to_json(value)?;
        item_id(&item)?;
        Ok(self.and(BatchItemOperation::Upsert { item, etag: if_match.cloned() }))
    }

    /// Replaces an item with this value. Properties that the type does not know are removed.
    ///
    /// # Errors
    /// `BadRequest` when the value is not an item.
    pub fn replace(self, value: &impl Serialize, if_match: Option<&EntityTag>) -> Result<Self> {
        let item = to_json(value)?;
        let id = item_id(&item)?;
        Ok(self.and(BatchItemOperation::Replace { id, item, etag: if_match.cloned() }))
    }

    /// Writes back an item that was read and changed, if nobody else wrote it in the meantime.
    ///
    /// # Errors
    /// `Unexpected` when the item was read without an etag.
    pub fn save<T: Serialize + DeserializeOwned>(self, item: &Item<T>) -> Result<Self> {
        let etag = item.etag().ok_or_else(|| {
            Error::unexpected("the item was read without an etag, so it cannot be saved safely")
        })?;
        // Merged, so that properties that the type does not know are kept.
        let item = item.merge_changes()?.item;
        let id = item_id(&item)?;
        Ok(self.and(BatchItemOperation::Replace { id, item, etag: Some(etag) }))
    }

    /// Patches an item. The official SDK has no such operation, so a connected account refuses it.
    ///
    /// # Errors
    /// `BadRequest` for an id that breaks the rules for ids.
    pub fn patch(self, id: &str, patch: Patch, if_match: Option<&EntityTag>) -> Result<Self> {
        let id = ItemId::new(id)?;
        Ok(self.and(BatchItemOperation::Patch { id, patch, etag: if_match.cloned() }))
    }

    /// Deletes an item.
    ///
    /// # Errors
    /// `BadRequest` for an id that breaks the rules for ids.
    pub fn delete(self, id: &str, if_match: Option<&EntityTag>) -> Result<Self> {
        let id = ItemId::new(id)?;
        Ok(self.and(BatchItemOperation::Delete { id, etag: if_match.cloned() }))
    }

    /// Reads an item, including the changes of the preceding operations.
    ///
    /// # Errors
    /// `BadRequest` for an id that breaks the rules for ids.
    pub fn read(self, id: &str) -> Result<Self> {
        let id = ItemId::new(id)?;
        Ok(self.and(BatchItemOperation::Read { id }))
    }

    fn and(mut self, entry: BatchItemOperation) -> Self {
        self.entries.push(entry);
        self
    }

    pub(crate) fn into_entries(self) -> Vec<BatchItemOperation> {
        self.entries
    }
}

impl BatchItemResult {
    pub(crate) fn new(text: Option<Bytes>, etag: Option<EntityTag>, charge: f64) -> Self {
        Self { text, etag, charge }
    }

    /// The item after the operation, if the account returned it: always for reads, and for writes if it is embedded.
    ///
    /// # Errors
    /// `Unexpected` when it cannot be deserialized into `T`.
    pub fn item<T: DeserializeOwned>(&self) -> Result<Option<Item<T>>> {
        self.text.clone().map(Item::from_text).transpose()
    }

    /// The etag of the item after the operation; `None` after a delete.
    #[must_use]
    pub fn etag(&self) -> Option<&EntityTag> {
        self.etag.as_ref()
    }

    /// The charge of this operation.
    #[must_use]
    pub fn charge(&self) -> f64 {
        self.charge
    }
}
