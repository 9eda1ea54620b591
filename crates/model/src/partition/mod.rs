//! Partitioning: the key of an item, the hash of a key, and ranges of hashes.
//!
//! Owns partition keys, effective partition keys, epk ranges and feed ranges. Does not own physical partitions or the
//! partition map: see the engine.

mod partition_key;

mod definition;

mod component;
mod effective_partition_key;

mod coordinate;
mod epk_range;

mod feed_range;

#[cfg(test)]
pub(crate) mod arbitrary;
#[cfg(test)]
mod tests;

pub use definition::{Completeness, PartitionKeyDefinition, PartitionKeyKind, PartitionKeyVersion};
pub use effective_partition_key::EffectivePartitionKey;
pub use epk_range::EpkRange;
pub use feed_range::FeedRange;
pub use partition_key::{PartitionKey, PartitionKeyValue};
