//! The read cache in front of the LSM tree: single values, multi-get results and short scan pages.
//!
//! Owns the cached entries and the visibility rule, which decides which read view may see which entry (`sharded`). Does
//! not own the tree. A hit costs about a twentieth of a lookup in the tree.

mod cache;
#[cfg(test)]
mod interleavings;
mod key_prefix;
mod multi_get;
mod page;
mod sharded;

pub(crate) use cache::{BatchInvalidation, ReadCache, ValueLookup};
pub(crate) use sharded::VisibleBatch;
