//! Read items by partition key and id.

use model::{ItemId, PartitionKey};
use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::item::Item;
use crate::request::{BackendRequest, ItemAddress, ResponseBody};
use crate::response::{AccountResponse, ClientSessionToken, EntityTag};

use super::Container;

/// Options of a read.
#[derive(Clone, Debug, Default)]
pub struct ItemReadOptions {
    /// The read must see at least the writes that this token has seen. Not needed within one process.
    pub session_token: Option<ClientSessionToken>,
}

impl Container {
    /// Reads one item.
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
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Order {
    ///     total: i64,
    /// }
    ///
    /// let order = orders.read::<Order>(&ann, "1").await?;
    /// assert_eq!(order.value.value.total, 5);
    /// println!("{} RU", order.charge);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound`; `Unexpected` when it cannot be deserialized into `T`.
    pub async fn read<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
    ) -> Result<AccountResponse<Item<T>>> {
        self.read_with(partition_key, id, ItemReadOptions::default()).await
    }

    /// Reads one item with options.
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
    /// use planisphere_client::ItemReadOptions;
    ///
    /// let written = orders.upsert(&ann, &order, None).await?;
    /// let options = ItemReadOptions { session_token: written.session_token };
    /// orders.read_with::<serde_json::Value>(&ann, "1", options).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Container::read`]; `Unavailable` when the account has not yet seen the writes of the session token.
    pub async fn read_with<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        options: ItemReadOptions,
    ) -> Result<AccountResponse<Item<T>>> {
        let account = self.account();
        let read = account.send_read(self.link_ref(), partition_key, id, options.session_token);
        read.await?.into_item()
    }

    /// Reads one item if its etag differs; returns `None` if the caller already has the current version.
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
    /// let etag = orders.read::<serde_json::Value>(&ann, "1").await?.etag.ok_or("no etag")?;
    /// assert!(orders.read_unless::<serde_json::Value>(&ann, "1", &etag).await?.value.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Container::read`].
    pub async fn read_unless<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        etag: &EntityTag,
    ) -> Result<AccountResponse<Option<Item<T>>>> {
        let address = self.item_address(partition_key, id)?;
        let if_none_match = Some(etag.clone());
        let read = BackendRequest::Read { address, session_token: None, if_none_match };
        self.account().send(&read).await?.into_modified_item()
    }

    /// Reads several items, in any order. Items that do not exist are omitted.
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
    /// let ids = [(ann.clone(), "1"), (ann.clone(), "missing")];
    /// assert_eq!(orders.read_many::<serde_json::Value>(&ids).await?.value.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unexpected` when one cannot be deserialized into `T`.
    pub async fn read_many<T: DeserializeOwned>(
        &self,
        ids: &[(PartitionKey, &str)],
    ) -> Result<AccountResponse<Vec<Item<T>>>> {
        let items = ids.iter().map(|(key, id)| Ok((key.clone(), ItemId::new(*id)?)));
        let items = items.collect::<Result<_>>()?;
        let read = BackendRequest::ReadMany { container: self.link(), items, session_token: None };
        self.account().send(&read).await?.try_map(|body| body_items(body))
    }

    pub(super) fn item_address(
        &self,
        partition_key: &PartitionKey,
        id: &str,
    ) -> Result<ItemAddress> {
        let id = ItemId::new(id)?;
        Ok(ItemAddress { container: self.link(), partition_key: partition_key.clone(), id })
    }
}

fn body_items<T: DeserializeOwned>(body: ResponseBody) -> Result<Vec<Item<T>>> {
    body.into_items()?.into_iter().map(Item::from_text).collect()
}
