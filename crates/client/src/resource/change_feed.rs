//! The change feed of a container, page by page.

use serde::de::DeserializeOwned;

use crate::change_feed::{Change, ChangeFeed, ChangePage};
use crate::error::Result;
use crate::item::Item;
use crate::request::{BackendRequest, RawChange, ResponseBody};
use crate::response::AccountResponse;

use super::Container;

impl Container {
    /// Reads one page of changes.
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
    /// use planisphere_client::{ChangeFeed, ChangeStart};
    ///
    /// let feed = ChangeFeed::latest(ChangeStart::Beginning);
    /// let page = orders.changes::<serde_json::Value>(feed).await?.value;
    /// assert_eq!(page.changes[0].id.as_deref(), Some("1"));
    /// // Continue here later, also in another process.
    /// let next = ChangeFeed::latest(ChangeStart::Continuation(page.continuation));
    /// assert!(orders.changes::<serde_json::Value>(next).await?.value.changes.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadRequest` for a start that the mode does not support or a continuation of another feed, `Unexpected` for an
    /// item that cannot be deserialized into `T`, `NotFound` for a missing container.
    pub async fn changes<T: DeserializeOwned>(
        &self,
        feed: ChangeFeed,
    ) -> Result<AccountResponse<ChangePage<T>>> {
        let request = BackendRequest::ReadChanges {
            container: self.link(),
            feed_range: feed.feed_range,
            mode: feed.mode,
            start: feed.start,
            items_max: feed.items_max,
        };
        self.account().send(&request).await?.try_map(|body| match body {
            ResponseBody::Changes { changes, continuation, more } => {
                let changes = changes.into_iter().map(typed_change).collect::<Result<_>>()?;
                Ok(ChangePage { changes, continuation, more })
            }
            other => Err(other.unexpected("changes")),
        })
    }
}

fn typed_change<T: DeserializeOwned>(change: RawChange) -> Result<Change<T>> {
    Ok(Change {
        operation: change.operation,
        id: change.id,
        partition_key: change.partition_key,
        current: change.current.map(Item::from_text).transpose()?,
        previous: change.previous.map(Item::from_text).transpose()?,
    })
}
