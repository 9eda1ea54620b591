//! Index terms and unique keys: what a write stores besides the item.
//!
//! Derives terms from an item and a policy. Storage keys belong to `key_layout`, the commit to `partition`, rebuilds to
//! `maintenance`: terms are part of the same write set as their item.

mod policy;
mod term;
mod unique;

pub(crate) use policy::{CompiledPolicy, composite_number};
pub(crate) use term::{
    IndexedLeaf, ItemTerms, path_segments, path_text, properties_beside_version, terms_of,
    terms_of_only, terms_without_version, version_terms,
};
pub(crate) use unique::unique_keys_of;
