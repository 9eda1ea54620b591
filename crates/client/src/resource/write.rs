//! Write single items.

use model::{Json, PartitionKey, Patch};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::item::{Item, item_id, to_json};
use crate::request::{BackendRequest, ItemAddress, ResponseBody};
use crate::response::{AccountResponse, EntityTag};

use super::Container;

impl Container {
    /// Creates an item.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// use planisphere_client::ErrorKind;
    ///
    /// let order = serde_json::json!({ "id": "1", "customer": "ann" });
    /// orders.create(&ann, &order).await?;
    /// let again = orders.create(&ann, &order).await.unwrap_err();
    /// assert_eq!(again.kind(), ErrorKind::Conflict);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Conflict` when its id is taken in its logical partition, `BadRequest` when the partition key is not the item's,
    /// `TooLarge`.
    pub async fn create<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        value: &T,
    ) -> Result<AccountResponse<Item<T>>> {
        let build = || {
            let item = to_json(value)?;
            let address = self.address_of(partition_key, &item)?;
            Ok(BackendRequest::Create { address, item })
        };
        self.account().send_item(build()?, build).await?.into_item()
    }

    /// Replaces an item with this value. Properties that the type does not know are removed; [`Container::save`] keeps
    /// them.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// # let order = serde_json::json!({ "id": "1", "customer": "ann", "total": 5 });
    /// # orders.create(&ann, &order).await?;
    /// let paid = serde_json::json!({ "id": "1", "customer": "ann", "paid": true });
    /// let replaced = orders.replace(&ann, &paid, None).await?;
    /// // Replace it only if nobody else wrote it since.
    /// orders.replace(&ann, &paid, replaced.etag.as_ref()).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound`, `Precondition` when the item has another etag, `TooLarge`.
    pub async fn replace<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        value: &T,
        if_match: Option<&EntityTag>,
    ) -> Result<AccountResponse<Item<T>>> {
        let build = || {
            let item = to_json(value)?;
            let address = self.address_of(partition_key, &item)?;
            Ok(BackendRequest::Replace { address, item, etag: if_match.cloned() })
        };
        self.account().send_item(build()?, build).await?.into_item()
    }

    /// Writes back an item that was read and changed, if nobody else wrote it in the meantime. Properties that its type
    /// does not know are kept.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// # let order = serde_json::json!({ "id": "1", "customer": "ann", "total": 5 });
    /// # orders.create(&ann, &order).await?;
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Total {
    ///     total: i64,
    ///     id: String,
    /// }
    ///
    /// let mut item = orders.read::<Total>(&ann, "1").await?.value;
    /// item.value.total = 6;
    /// let saved = orders.save(&ann, &item).await?.value;
    /// // `Total` does not know the customer, which is kept.
    /// assert!(saved.stored()?.get("customer").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Precondition` when somebody else wrote it: see [`Container::modify`]; `NotFound`, `TooLarge`.
    pub async fn save<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        item: &Item<T>,
    ) -> Result<AccountResponse<Item<T>>> {
        let etag = item.etag().ok_or_else(|| {
            Error::unexpected("the item was read without an etag, so it cannot be saved safely")
        })?;
        let build = || {
            let item = item.merge_changes()?.item;
            let address = self.address_of(partition_key, &item)?;
            Ok(BackendRequest::Replace { address, item, etag: Some(etag.clone()) })
        };
        self.account().send_item(build()?, build).await?.into_item()
    }

    /// Creates an item, or replaces the existing one with the same id.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// let order = serde_json::json!({ "id": "1", "customer": "ann" });
    /// orders.upsert(&ann, &order, None).await?;
    /// orders.upsert(&ann, &order, None).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Precondition` when an item exists and has another etag than the given one, `TooLarge`.
    pub async fn upsert<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        value: &T,
        if_match: Option<&EntityTag>,
    ) -> Result<AccountResponse<Item<T>>> {
        let build = || {
            let item = to_json(value)?;
            let address = self.address_of(partition_key, &item)?;
            Ok(BackendRequest::Upsert { address, item, etag: if_match.cloned() })
        };
        self.account().send_item(build()?, build).await?.into_item()
    }

    /// Patches an item. A patch is not repeated when its response is lost, because it may increment a number: the error
    /// then reports that it may have happened.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// # let order = serde_json::json!({ "id": "1", "customer": "ann", "total": 5 });
    /// # orders.create(&ann, &order).await?;
    /// use planisphere_client::{Number, Patch, PatchOperation, PatchPath};
    ///
    /// let by = Number::from(1);
    /// let increment = PatchOperation::Increment { path: PatchPath::parse("/total")?, by };
    /// let patch = Patch::new(vec![increment], None)?;
    /// let patched = orders.patch::<serde_json::Value>(&ann, "1", patch, None).await?.value;
    /// assert_eq!(patched.value["total"], 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound`, `Precondition` when the etag or the condition of the patch does not match, `BadRequest` for a path
    /// that does not exist.
    pub async fn patch<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        patch: Patch,
        if_match: Option<&EntityTag>,
    ) -> Result<AccountResponse<Item<T>>> {
        let address = self.item_address(partition_key, id)?;
        let request = BackendRequest::Patch { address, patch, etag: if_match.cloned() };
        self.account().send(&request).await?.into_item()
    }

    /// Deletes an item.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// # let order = serde_json::json!({ "id": "1", "customer": "ann", "total": 5 });
    /// # orders.create(&ann, &order).await?;
    /// orders.delete(&ann, "1", None).await?;
    /// assert!(orders.read::<serde_json::Value>(&ann, "1").await.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound`, `Precondition` when the item has another etag.
    pub async fn delete(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        if_match: Option<&EntityTag>,
    ) -> Result<AccountResponse<()>> {
        let address = self.item_address(partition_key, id)?;
        let request = BackendRequest::Delete { address, etag: if_match.cloned() };
        Ok(self.account().send(&request).await?.without_body())
    }

    /// Deletes all items of one logical partition and returns their number. An embedded account deletes them
    /// atomically; a connected account deletes them in transactional batches, so that a reader may see some of them
    /// meanwhile.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// # let order = serde_json::json!({ "id": "1", "customer": "ann", "total": 5 });
    /// # orders.create(&ann, &order).await?;
    /// assert_eq!(orders.delete_partition(&ann).await?.value, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` for a missing container; `Unavailable` and `Throttled` after a part was deleted: call it again.
    pub async fn delete_partition(
        &self,
        partition_key: &PartitionKey,
    ) -> Result<AccountResponse<u64>> {
        let partition_key = partition_key.clone();
        let request = BackendRequest::DeletePartition { container: self.link(), partition_key };
        self.account().send(&request).await?.try_map(ResponseBody::into_count)
    }

    /// The address of an item that contains its own id.
    fn address_of(&self, partition_key: &PartitionKey, item: &Json) -> Result<ItemAddress> {
        let id = item_id(item)?;
        Ok(ItemAddress { container: self.link(), partition_key: partition_key.clone(), id })
    }
}
