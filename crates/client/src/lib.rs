//! Application code that runs unchanged on an embedded database, a Planisphere server, or an Azure Cosmos DB account.
//!
//! Owns the typed calls of an application, the guard on partition keys, retries, and the merge that keeps properties
//! that a type does not know. Does not own any rule about items: an embedded account calls `engine`, a connected
//! account calls its endpoint through the official SDK (feature `connect`).
//!
//! ```text
//! Container::read ... ─► request ─► account (retries, traces) ─► backend ─► embedded: Engine
//!                                            ▲                     │ └────► connected: the official SDK
//!                                            └─ backend/faulty (tests)
//! ```
//!
//! A connected account (feature `connect`) does not support what the official SDK, at 1.0.0, does not offer:
//!
//! - [`ItemBatch::patch`], throughput of a new database, and container properties that the SDK does not know fail with
//!   [`ErrorKind::Unsupported`];
//! - aggregates and `GROUP BY` over several partitions are refused with [`ErrorKind::BadRequest`];
//! - [`Container::delete_partition`] deletes in batches, not atomically; the condition of a patch costs a query.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use planisphere_client::{Account, StorageLocation, PartitionKeyDefinition, Query};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Serialize, Deserialize)]
//! struct Order {
//!     id: String,
//!     customer: String,
//!     total: f64,
//! }
//!
//! let account = Account::embedded(StorageLocation::Memory).await?;
//! let database = account.database("shop")?;
//! database.create_if_missing(None).await?;
//! let orders = database.container("orders")?;
//! let key = PartitionKeyDefinition::single("/customer")?;
//! orders.create_if_missing(orders.properties(key), None).await?;
//!
//! let ann = "ann".into();
//! let order = Order { id: "1".to_owned(), customer: "ann".to_owned(), total: 9.5 };
//! let created = orders.create(&ann, &order).await?;
//! assert!(created.charge > 0.0);
//!
//! let query = Query::text("SELECT * FROM c WHERE c.total > @minimum").parameter("@minimum", 5);
//! let rows = orders.query::<Order>(&query.within(ann)).await?;
//! assert_eq!(rows.value.len(), 1);
//! # account.close().await
//! # }).unwrap();
//! ```

mod account;
mod backend;
mod change_feed;
mod error;
mod item;
pub mod processor;
mod query;
mod request;
mod resource;
mod response;
mod retry;

pub mod contract;

pub use account::{Account, StorageLocation};
#[cfg(feature = "connect")]
pub use backend::{Credential, Endpoint};
pub use backend::{Fault, Faults, QueryMutation};
pub use change_feed::{Change, ChangeFeed, ChangePage, ChangeStart};
pub use error::{Error, ErrorKind, Result};
pub use item::{BatchItemResult, Item, ItemBatch};
pub use query::{Page, Query, QueryPageOptions, QueryText};
pub use resource::{Container, Database, ItemReadOptions};
pub use response::{AccountResponse, ActivityId, ClientSessionToken, EntityTag};
pub use retry::RetryPolicy;

// Types of the lower crates that appear in calls.
pub use engine::change_feed::{ChangeFeedMode, ChangeOperation};
pub use engine::{Clock, Environment, Randomness, Spawner, SystemClock, TravellingClock};
pub use model::{
    ContainerId, ContainerProperties, DatabaseId, FeedRange, Json, Number, PartitionKey,
    PartitionKeyDefinition, PartitionKeyValue, Patch, PatchOperation, PatchPath, Throughput,
    TimeToLive, TimestampMs, TimestampSeconds,
};
