//! The key-value engine, version 2.

mod data;
mod document;
mod metadata;
mod routes;
mod subkeys;
mod versions;

pub(super) use document::StoredMount;
