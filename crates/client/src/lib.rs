//! One application code, three places to run it: inside the program, a server of ours, an account of the service.
//!
//! Owns the typed calls an application makes, the guard on partition keys, the retries, and the merge that keeps
//! properties a type does not know. Does not own any rule about items: an embedded account asks `engine`, a connected
//! one asks its endpoint through the official library (feature `connect`).
//!
//! ```text
//! Container::read ... ─► call/request ─► call/send (retries, traces) ─► place ─► embedded: Engine
//!                                            ▲                           │ └──► connected: the official library
//!                                            └── place/faulty (tests) ◄──┘
//! ```
//!
//! A connected account (feature `connect`) differs in what the official library, at 1.0.0, does not offer:
//!
//! - [`Batch::patch`], throughput of a new database and container properties the library does not know fail with
//!   [`ErrorKind::Unsupported`];
//! - aggregates and `GROUP BY` are refused over several partitions, with [`ErrorKind::BadRequest`];
//! - [`Container::delete_partition`] deletes in batches, not at once; the condition of a patch costs a query.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use planisphere_client::{Account, Location, PartitionKeyDefinition, Query};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Serialize, Deserialize)]
//! struct Order {
//!     id: String,
//!     customer: String,
//!     total: f64,
//! }
//!
//! let account = Account::embedded(Location::Memory).await?;
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
//! let query = Query::text("SELECT * FROM c WHERE c.total > @least").parameter("@least", 5);
//! let rows = orders.query::<Order>(&query.within(ann)).await?;
//! assert_eq!(rows.value.len(), 1);
//! # account.close().await
//! # }).unwrap();
//! ```

mod account;
mod answer;
mod call;
mod change_feed;
mod error;
mod faults;
mod item;
mod place;
pub mod processor;
mod query;
mod resource;
mod retry;

pub mod contract;

pub use account::{Account, Location};
pub use answer::{ActivityId, Answer, Etag, SessionToken};
pub use change_feed::{Change, ChangeFeed, ChangeMode, ChangeOperation, ChangePage, ChangeStart};
pub use error::{Error, ErrorKind, Result};
pub use faults::{Fault, Faults};
pub use item::{Batch, BatchAnswer, Item, ReadOptions};
#[cfg(feature = "connect")]
pub use place::{Credential, Endpoint};
pub use query::{Page, PageOptions, Query, QueryText};
pub use resource::{Container, Database};
pub use retry::RetryPolicy;

// The words of the domain that appear in calls.
pub use engine::{Clock, Environment, Randomness, Spawner, SystemClock, TravellingClock};
pub use model::{
    ContainerId, ContainerProperties, DatabaseId, FeedRange, Json, Number, PartitionKey,
    PartitionKeyDefinition, PartitionKeyValue, Patch, PatchOperation, PatchPath, Throughput,
    TimeToLive, TimestampMs, TimestampSeconds,
};
