//! The resources other than items: account, databases, containers, partition key ranges, throughput, users, scripts.
//!
//! Owns their JSON documents and the operations behind their methods. One file per resource.

pub(crate) mod account;
pub(crate) mod attached;
pub(crate) mod container;
pub(crate) mod database;
mod feed;
pub(crate) mod offer;
mod partition_key_range;
mod permission;
mod quota;
mod response_headers;
mod script;
