//! The parts of writes that are made before the partition writer has its turn.
//!
//! Owns texts, differences of index terms, unique keys and index costs of large items, each made for one version of its
//! item and one indexing policy; and using them in a transaction, if both are still the same. Does not own when this
//! happens: see `item/large`.

mod base_version;
mod preparations;
mod prepared_put;
mod prepared_removal;
mod reindex;

pub(crate) use base_version::{BaseVersion, KnownVersion, PolicyOfKey};
pub(crate) use preparations::{Preparations, PreparedOperation};
pub(crate) use prepared_put::{PreparedPut, PutBasis};
pub(crate) use prepared_removal::PreparedRemoval;
pub(crate) use reindex::PreparedReindex;
