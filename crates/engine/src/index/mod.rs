//! Index terms and unique keys: what a write must keep beside the item, and how they are rebuilt.
//!
//! Owns the derivation of terms from an item and a policy. Does not own storage keys (`key_layout`) or the commit
//! (`partition/writer`): terms travel in the write set of the item they belong to.

mod policy;
mod rebuild;
mod term;
mod unique;

#[cfg(test)]
mod tests;

pub(crate) use policy::{CompiledPolicy, composite_number};
pub(crate) use rebuild::{RebuildStep, rebuild_step};
pub(crate) use term::{IndexedLeaf, ItemTerms, path_text, terms_of};
pub(crate) use unique::unique_keys_of;
