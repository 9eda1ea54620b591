//! The resources that are not items: account, databases, containers, partition key ranges, throughput.
//!
//! Owns their shapes on the wire and the operations behind their verbs. One file per resource.

pub(crate) mod account;
pub(crate) mod attached;
pub(crate) mod container;
pub(crate) mod database;
mod listing;
pub(crate) mod offer;
pub(crate) mod partition_key_range;
pub(crate) mod permission;
mod standing;
pub(crate) mod usage;
