//! Physical partitions: one epk range, one writer, one lsn sequence each.
//!
//! Owns the partition map, the writer with its group commit, and the state of a partition. The writer runs any
//! [`PartitionTransaction`]; what a transaction writes is decided elsewhere (`transaction`, `item`, `maintenance`).
//! Does not own splits and merges (`restructure`) or how bytes are stored.

mod commit_group;
mod contention;
mod map;
mod pause;
mod pending_keys;
mod restructuring;
mod state;
mod transaction;
mod trimmed_versions;
mod writer;

pub(crate) use contention::{PartitionWatch, WatchPosition};
pub(crate) use map::{PartitionIdentity, PartitionMap, PhysicalPartition, retired_error};
pub(crate) use pause::{TouchedItems, WriteTracker, WriterPause};
pub(crate) use pending_keys::PendingKeys;
pub(crate) use restructuring::Restructuring;
pub(crate) use state::{CLOCK_LEAD_MAX_SECONDS, EntryLayout, PartitionState, Rebuild};
pub(crate) use transaction::{
    Abort, Completion, PartitionTransaction, PreparedTransaction, TransactionContext,
};
#[cfg(test)]
pub(crate) use trimmed_versions::TrimmedVersions;
pub(crate) use writer::{WriterContext, start_writer};
