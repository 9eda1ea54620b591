//! Transactional batches.

use model::PartitionKey;

use crate::error::Result;
use crate::item::{BatchItemResult, ItemBatch};
use crate::request::{BackendRequest, ResponseBody};
use crate::response::AccountResponse;

use super::Container;

impl Container {
    /// Executes all operations of a batch in one logical partition, or none of them. A batch is not repeated when its
    /// response is lost: the error then reports that it may have happened.
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
    /// use planisphere_client::ItemBatch;
    ///
    /// let second = serde_json::json!({ "id": "2", "customer": "ann" });
    /// let batch = ItemBatch::new().create(&second)?.delete("1", None)?;
    /// assert_eq!(orders.batch(&ann, batch).await?.value.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The kind of the operation that failed, with [`crate::Error::failed_operation`]; `TooLarge` for more than 100
    /// operations or 2 MB.
    pub async fn batch(
        &self,
        partition_key: &PartitionKey,
        batch: ItemBatch,
    ) -> Result<AccountResponse<Vec<BatchItemResult>>> {
        let request = BackendRequest::Batch {
            container: self.link(),
            partition_key: partition_key.clone(),
            entries: batch.into_entries(),
        };
        self.account().send(&request).await?.try_map(ResponseBody::into_batch)
    }
}
