//! The catalog: databases, containers, partition maps, throughput.
//!
//! Owns their stored form, the view that every request reads, and the operations on them. Every change takes one lock
//! and is one commit on the catalog shard. Does not own items.

mod address;
mod attached;
mod attached_store;
mod container;
mod database;
mod deletion;
mod enforcement;
mod if_match;
mod partition_keys;
mod partition_list;
mod record;
mod store;
mod throughput;
mod view;

pub use address::{ContainerAddress, ContainerExtension, DatabaseAddress};
pub use attached::{AttachedKind, AttachedResource};
pub(crate) use container::ContainerEntry;
pub(crate) use record::PartitionRecord;
#[cfg(any(test, fuzzing))]
pub(crate) use record::check_catalog_records;
pub(crate) use store::{CatalogStore, CatalogWrite};
pub(crate) use view::{CatalogView, DatabaseEntry};
