//! Transactional batches: several operations in one logical partition, all or nothing.

use bytes::Bytes;
use model::{ItemId, PartitionKey, Patch};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer::{Answer, Etag};
use crate::call::{BatchStep, Body, Request};
use crate::error::{Error, Result};
use crate::resource::Container;

use super::Item;
use super::typed::to_json;
use super::write::own_id;

/// Operations to be done together, in their order.
///
/// ```
/// # #[derive(serde::Serialize)] struct Device { id: &'static str, user: &'static str }
/// use planisphere_client::Batch;
/// let batch = Batch::new()
///     .create(&Device { id: "new", user: "ann" })?
///     .delete("old", None)?;
/// # Ok::<(), planisphere_client::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Batch {
    steps: Vec<BatchStep>,
}

/// What one operation of a batch did.
#[derive(Clone, Debug)]
pub struct BatchAnswer {
    text: Option<Bytes>,
    etag: Option<Etag>,
    charge: f64,
}

impl Batch {
    /// No operations yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an item.
    ///
    /// # Errors
    /// `BadRequest` when the value is no item.
    pub fn create(self, value: &impl Serialize) -> Result<Self> {
        let item = to_json(value)?;
        own_id(&item)?;
        Ok(self.and(BatchStep::Create { item }))
    }

    /// Creates or replaces an item.
    ///
    /// # Errors
    /// `BadRequest` when the value is no item.
    pub fn upsert(self, value: &impl Serialize, if_match: Option<&Etag>) -> Result<Self> {
        let item = to_json(value)?;
        own_id(&item)?;
        Ok(self.and(BatchStep::Upsert { item, etag: if_match.cloned() }))
    }

    /// Replaces an item by this value, and nothing else.
    ///
    /// # Errors
    /// `BadRequest` when the value is no item.
    pub fn replace(self, value: &impl Serialize, if_match: Option<&Etag>) -> Result<Self> {
        let item = to_json(value)?;
        let id = own_id(&item)?;
        Ok(self.and(BatchStep::Replace { id, item, etag: if_match.cloned() }))
    }

    /// Writes back an item that was read and changed, if nobody wrote it meanwhile.
    ///
    /// # Errors
    /// `Unexpected` when the item was read without an etag.
    pub fn save<T: Serialize + DeserializeOwned>(self, item: &Item<T>) -> Result<Self> {
        let etag = item.etag().ok_or_else(|| {
            Error::unexpected("the item was read without an etag, so it cannot be saved safely")
        })?;
        let item = item.to_json()?;
        let id = own_id(&item)?;
        Ok(self.and(BatchStep::Replace { id, item, etag: Some(etag) }))
    }

    /// Changes parts of an item. The official library has no such operation, so a connected account refuses it.
    ///
    /// # Errors
    /// `BadRequest` for an id that breaks the rules for ids.
    pub fn patch(self, id: &str, patch: Patch, if_match: Option<&Etag>) -> Result<Self> {
        let id = ItemId::new(id)?;
        Ok(self.and(BatchStep::Patch { id, patch, etag: if_match.cloned() }))
    }

    /// Deletes an item.
    ///
    /// # Errors
    /// `BadRequest` for an id that breaks the rules for ids.
    pub fn delete(self, id: &str, if_match: Option<&Etag>) -> Result<Self> {
        let id = ItemId::new(id)?;
        Ok(self.and(BatchStep::Delete { id, etag: if_match.cloned() }))
    }

    /// Reads an item as the batch has left it so far.
    ///
    /// # Errors
    /// `BadRequest` for an id that breaks the rules for ids.
    pub fn read(self, id: &str) -> Result<Self> {
        let id = ItemId::new(id)?;
        Ok(self.and(BatchStep::Read { id }))
    }

    fn and(mut self, step: BatchStep) -> Self {
        self.steps.push(step);
        self
    }
}

impl BatchAnswer {
    pub(crate) fn new(text: Option<Bytes>, etag: Option<Etag>, charge: f64) -> Self {
        Self { text, etag, charge }
    }

    /// The item after the operation, if the account sent it: always for reads, embedded for writes too.
    ///
    /// # Errors
    /// `Unexpected` when it is no `T`.
    pub fn item<T: DeserializeOwned>(&self) -> Result<Option<Item<T>>> {
        self.text.clone().map(Item::from_text).transpose()
    }

    /// The etag of the item after the operation; none after a delete.
    #[must_use]
    pub fn etag(&self) -> Option<&Etag> {
        self.etag.as_ref()
    }

    /// Its share of the charge.
    #[must_use]
    pub fn charge(&self) -> f64 {
        self.charge
    }
}

impl Container {
    /// Does all operations of a batch in one logical partition, or none of them. It is not repeated when its answer is
    /// lost: the error then says that it may have happened.
    ///
    /// # Errors
    /// The kind of the operation that failed, with [`Error::failed_operation`]; `TooLarge` for more than 100 operations
    /// or 2 MB.
    pub async fn batch(
        &self,
        partition_key: &PartitionKey,
        batch: Batch,
    ) -> Result<Answer<Vec<BatchAnswer>>> {
        let partition_key = partition_key.clone();
        let request = Request::Batch { container: self.link(), partition_key, steps: batch.steps };
        self.account().send(&request).await?.answer(Body::into_batch)
    }
}
