//! Ordered bytes, sharded, with guarded and stamped commits.
//!
//! Owns: the [`Store`] trait, the words a backend needs ([`Shard`], [`Space`], [`WriteSet`], [`Guard`], [`Stamp`]),
//! the in-memory store, the faulty wrapper, the simulated disk and the contract suite that every backend must pass.
//! Does not own: any meaning. Nothing here knows JSON, partition keys or items; `engine` gives the bytes their sense.
//!
//! Everything is addressed by (shard, space, key). A commit concerns one shard and is atomic: its guards are checked,
//! its stamps are assigned and its writes become visible and durable together, or nothing happens.

mod address;
pub mod contract;
mod error;
pub mod faulty;
mod last_stamps;
pub mod memory;
mod random;
mod scan;
pub mod simulated_disk;
mod store;
mod write_set;

pub use address::{Shard, Space, Stamp, StorageKey, StorageValue};
pub use error::{Error, ErrorKind, Result};
pub use last_stamps::LastStamps;
pub use scan::{Direction, Entry, KeyRange, Scan, ScanLimit, ScanPage, ScanPageBuilder};
pub use store::{Read, ShardStatistics, Store};
pub use write_set::{Guard, Guarded, Write, WriteSet};
