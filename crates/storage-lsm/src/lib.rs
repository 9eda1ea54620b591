//! The store on an embedded LSM tree.
//!
//! Owns a folder on disk: its format marker, its lock, the tree's files and the record of what was acknowledged.
//! One thread writes: it merges what is queued into one batch and one sync. Reads run on the caller's thread.
//! Does not own any meaning: shards, spaces and keys are bytes here, as `storage` defines them.
//!
//! ```text
//! folder/FORMAT         product, backend and format version
//! folder/LOCK           held while a process has the folder open
//! folder/acknowledged   newest acknowledged stamp of each shard
//! folder/lsm/           the tree's own files
//! ```

mod acknowledged;
mod commit;
mod failure;
mod format;
mod keyspaces;
mod lock;
mod open;
mod read;
mod recent;
mod settings;
mod store;

pub use format::FORMAT_VERSION;
pub use open::WHOLE_KEYS_EVERY;
pub use settings::{Durability, Settings};
pub use store::LsmStore;
