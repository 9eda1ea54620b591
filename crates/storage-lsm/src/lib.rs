//! A [`storage::Store`] on an embedded LSM tree.
//!
//! Owns a folder on disk: its format marker, its lock, the tree's files and the side file of durable stamps. One thread
//! writes: it merges the queued commits into one batch with one sync (group commit). Reads run on the caller's thread,
//! behind a read cache. Does not own any meaning: shards, spaces and keys are bytes here, as `storage` defines them.
//!
//! ```text
//! folder/FORMAT         product, backend and format version
//! folder/LOCK           locked while a process has the folder open
//! folder/MANIFEST       the keyspaces of the tree
//! folder/acknowledged   newest durable stamp of each shard
//! folder/sealed/        second names of full journals
//! folder/lsm/           the tree's own files
//! ```
//!
//! `docs/DESIGN.md` describes the bytes, the life of a write and crash recovery.

mod checksum;
mod commit;
mod durable_stamps;
mod error;
mod folder_marker;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod inner;
mod integrity;
mod keyspaces;
mod lock;
mod open;
mod read;
mod read_cache;
mod run_buffer;
mod settings;
mod stamp_entry;
mod store;

pub use folder_marker::FORMAT_VERSION;
pub use integrity::VerifiedFiles;
pub use keyspaces::BLOCK_RESTART_INTERVAL;
pub use settings::{Durability, LsmSettings};
pub use store::LsmStore;
