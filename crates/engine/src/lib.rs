//! The database engine. Embed it, or put a gateway in front of it.
//!
//! Owns the account with its databases, containers, partitions and items, and every rule about them. Does not own HTTP
//! (`gateway`), the storage of bytes (`storage` and its backends) or JSON values and policies (`model`).
//!
//! ```text
//! Engine::create_item ─► catalog (which container) ─► partition map (which physical partition)
//!     read ─► storage.get                                            ─► Response
//!     write ─► partition writer ─► transaction (write set) ─► storage.commit ─► Response
//! ```
//!
//! Every write is one atomic commit that contains the item, its index terms, its unique keys and its change log entry;
//! the store stamps it with its lsn.

mod catalog;
pub mod change_feed;
mod charge;
mod container;
mod creation_order;
mod engine;
mod environment;
mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod index;
mod item;
mod key_layout;
mod maintenance;
mod metering;
pub mod operation;
mod ordered_bytes;
mod partition;
pub mod query;
mod record;
pub mod response;
mod restore;
mod restructure;
mod script;
pub mod script_runtime;
mod session;
mod settings;
#[cfg(test)]
mod tests;
mod throughput;
mod time_travel;
mod transaction;
pub mod usage;
pub mod verify;
mod work;

pub use catalog::{
    AttachedKind, AttachedResource, ContainerAddress, ContainerExtension, DatabaseAddress,
};
pub use engine::Engine;
pub use environment::{
    BoxedTask, BoxedWork, Clock, Environment, Randomness, SeededRandomness, Spawner, SystemClock,
    SystemRandomness, TokioSpawner, TravellingClock,
};
pub use error::{Error, ErrorKind, Result};
pub use key_layout::SPACES;
pub use maintenance::MaintenanceReport;
pub use operation::ContainerLink;
pub use response::{ItemResource, Response};
pub use restore::RestoreReport;
pub use restructure::DueSplits;
pub use settings::{AutoSplit, EngineSettings, MaintenanceTotals, ScriptSettings};
pub use time_travel::{ItemVersion, ItemVersions, SnapshotAt};
