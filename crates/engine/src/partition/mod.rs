//! Physical partitions: one epk range, one writer, one lsn sequence each.
//!
//! Owns the partition map, the writer's turn, and how partitions split and merge while in use. Does not own what a
//! transaction writes (`item/stored`) or how bytes are stored.

mod copy;
mod hold;
mod map;
mod merge;
mod reclaim;
mod restructure;
mod split;
mod state;
mod trimmed;
mod work;
mod writer;

pub(crate) use hold::Hold;
pub(crate) use map::{Partition, PartitionIdentity, PartitionMap, Published};
pub(crate) use reclaim::reclaim_shard;
pub(crate) use state::{PartitionState, Rebuild};
#[cfg(test)]
pub(crate) use trimmed::Trimmed;
pub(crate) use work::{ItemAnswer, ItemWrite, MaintenanceWork, Work, WorkAnswer, WorkFailure};
pub(crate) use writer::{WriterSeed, start_writer};
