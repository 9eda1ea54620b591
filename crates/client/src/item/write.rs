//! Writing single items.

use model::{ItemId, Json, PartitionKey, Patch};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer::{Answer, Etag};
use crate::call::{At, Body, Request};
use crate::error::{Error, Result};
use crate::resource::Container;

use super::Item;
use super::typed::to_json;

impl Container {
    /// Creates an item.
    ///
    /// # Errors
    /// `Conflict` when its id is taken in its logical partition, `BadRequest` when the partition key is not the item's,
    /// `TooLarge`.
    pub async fn create<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        value: &T,
    ) -> Result<Answer<Item<T>>> {
        let item = to_json(value)?;
        let at = self.at_own_id(partition_key, &item)?;
        Item::of_reply(self.account().send(&Request::Create { at, item }).await?)
    }

    /// Replaces an item by this value, and nothing else: what the type does not know goes. See [`Container::save`].
    ///
    /// # Errors
    /// `NotFound`, `Precondition` when the item has another etag, `TooLarge`.
    pub async fn replace<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        value: &T,
        if_match: Option<&Etag>,
    ) -> Result<Answer<Item<T>>> {
        let item = to_json(value)?;
        let at = self.at_own_id(partition_key, &item)?;
        let etag = if_match.cloned();
        Item::of_reply(self.account().send(&Request::Replace { at, item, etag }).await?)
    }

    /// Writes back an item that was read and changed, if nobody wrote it meanwhile. What its type does not know stays.
    ///
    /// # Errors
    /// `Precondition` when somebody was faster: see [`Container::modify`]; `NotFound`, `TooLarge`.
    pub async fn save<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        item: &Item<T>,
    ) -> Result<Answer<Item<T>>> {
        let etag = item.etag().ok_or_else(|| {
            Error::unexpected("the item was read without an etag, so it cannot be saved safely")
        })?;
        let item = item.to_json()?;
        let at = self.at_own_id(partition_key, &item)?;
        let replace = Request::Replace { at, item, etag: Some(etag) };
        Item::of_reply(self.account().send(&replace).await?)
    }

    /// Creates an item or replaces the one of the same id.
    ///
    /// # Errors
    /// `Precondition` when there is one with another etag than the one given, `TooLarge`.
    pub async fn upsert<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        value: &T,
        if_match: Option<&Etag>,
    ) -> Result<Answer<Item<T>>> {
        let item = to_json(value)?;
        let at = self.at_own_id(partition_key, &item)?;
        let etag = if_match.cloned();
        Item::of_reply(self.account().send(&Request::Upsert { at, item, etag }).await?)
    }

    /// Changes parts of an item. It is not repeated when its answer is lost, because it may increment: the error then
    /// says that it may have happened.
    ///
    /// # Errors
    /// `NotFound`, `Precondition` when the etag or the condition of the patch does not hold, `BadRequest` for a path
    /// that is not there.
    pub async fn patch<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        patch: Patch,
        if_match: Option<&Etag>,
    ) -> Result<Answer<Item<T>>> {
        let at = self.at(partition_key, id)?;
        let request = Request::Patch { at, patch, etag: if_match.cloned() };
        Item::of_reply(self.account().send(&request).await?)
    }

    /// Deletes an item.
    ///
    /// # Errors
    /// `NotFound`, `Precondition` when the item has another etag.
    pub async fn delete(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        if_match: Option<&Etag>,
    ) -> Result<Answer<()>> {
        let at = self.at(partition_key, id)?;
        let request = Request::Delete { at, etag: if_match.cloned() };
        Ok(self.account().send(&request).await?.done())
    }

    /// Deletes every item of one logical partition and says how many there were. Embedded, they go at once; behind an
    /// endpoint they go in transactional batches, so that a reader may meet some of them meanwhile.
    ///
    /// # Errors
    /// `NotFound` for a missing container; `Unavailable` and `Throttled` halfway: call it again.
    pub async fn delete_partition(&self, partition_key: &PartitionKey) -> Result<Answer<u64>> {
        let partition_key = partition_key.clone();
        let request = Request::DeletePartition { container: self.link(), partition_key };
        self.account().send(&request).await?.answer(Body::into_count)
    }

    /// Where an item belongs that names itself.
    fn at_own_id(&self, partition_key: &PartitionKey, item: &Json) -> Result<At> {
        let id = own_id(item)?;
        Ok(At { container: self.link(), partition_key: partition_key.clone(), id })
    }
}

/// The id an item gives itself.
pub(super) fn own_id(item: &Json) -> Result<ItemId> {
    let id = item.get("id").and_then(Json::as_str).ok_or_else(|| {
        Error::bad_request("an item needs a property 'id' that is a string; add it to the type")
    })?;
    Ok(ItemId::new(id)?)
}
