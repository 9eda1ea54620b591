//! Read-modify-write with optimistic concurrency.
//!
//! Owns the loop that starts over when somebody else wrote the item. Does not own retries of the calls inside it.

use std::time::Duration;

use model::{Json, PartitionKey};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};
use crate::item::Item;
use crate::request::BackendRequest;
use crate::response::AccountResponse;
use crate::retry::RetryPolicy;

use super::Container;

/// Maximum number of rounds. Twenty concurrent writers of one item succeed; more than that is a hot item, which needs
/// another data model.
const ROUNDS_MAX: u32 = 50;

impl Container {
    /// Reads an item, applies `change`, and writes it back. If somebody else wrote it in the meantime, it starts over
    /// with the new version. Properties that `T` does not know are kept. If `change` changes nothing, nothing is
    /// written.
    ///
    /// `change` may run several times, so it must have no side effects. An error that it returns ends the loop.
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
    /// use planisphere_client::Error;
    ///
    /// let modified = orders
    ///     .modify(&ann, "1", |order: &mut serde_json::Value| {
    ///         order["total"] = 7.into();
    ///         Ok::<_, Error>(())
    ///     })
    ///     .await?;
    /// assert_eq!(modified.value.value["total"], 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of `change`; `NotFound`; `Precondition` when others wrote the item in every round.
    pub async fn modify<T, E>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        mut change: impl FnMut(&mut T) -> std::result::Result<(), E>,
    ) -> std::result::Result<AccountResponse<Item<T>>, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<Error>,
    {
        let mut charge = 0.0;
        for round in 1.. {
            let mut read = self.read::<T>(partition_key, id).await?;
            charge += read.charge;
            change(&mut read.value.value)?;
            let merged = read.value.merge_changes()?;
            // Saves the write, and the loop of two processes that correct each other with equal values.
            if !merged.is_changed {
                return Ok(AccountResponse { charge, ..read });
            }
            match self.write_back(partition_key, id, &read.value, merged.item).await {
                Ok(written) => {
                    charge += written.charge;
                    return Ok(AccountResponse { charge, ..written });
                }
                // A precondition here is only ever our etag: `replace` sends no other condition.
                Err(error) if error.kind() == ErrorKind::Precondition && round < ROUNDS_MAX => {
                    self.wait_after(round).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::unexpected("the rounds of a modification are bounded").into())
    }

    async fn write_back<T: Serialize + DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        read: &Item<T>,
        merged: Json,
    ) -> Result<AccountResponse<Item<T>>> {
        let address = self.item_address(partition_key, id)?;
        let etag = read.etag().ok_or_else(|| {
            Error::unexpected("the item was read without an etag, so it cannot be modified safely")
        })?;
        let replace = |item| {
            let (address, etag) = (address.clone(), Some(etag.clone()));
            BackendRequest::Replace { address, item, etag }
        };
        let rebuild = || Ok(replace(read.merge_changes()?.item));
        self.account().send_item(replace(merged), rebuild).await?.into_item()
    }

    /// The first rounds do not wait: losing to a single other writer is not contention yet.
    async fn wait_after(&self, round: u32) {
        let environment = self.account().environment();
        tracing::debug!(container = %self.path(), round, "another writer was faster");
        if round > 2 {
            let policy = RetryPolicy {
                first_delay: Duration::from_millis(2),
                delay_max: Duration::from_millis(200),
                ..RetryPolicy::default()
            };
            environment.sleep(policy.backoff(round - 2, environment.random())).await;
        }
    }
}
