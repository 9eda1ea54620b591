//! The words of the domain as types.
//!
//! Owns values, names, partition keys, positions, resource properties and request options: one word, one file. Does
//! not own I/O, a clock, randomness, async, HTTP names or storage keys; every function here is pure.

mod invalid;
pub mod limits;
pub mod name;
pub mod partition;
pub mod position;
pub mod value;

pub use invalid::{Invalid, Result};
pub use name::{ContainerId, DatabaseId, ItemId, ResourceId, ResourceIdKind};
pub use partition::{
    Completeness, EffectivePartitionKey, EpkRange, FeedRange, PartitionKey, PartitionKeyDefinition,
    PartitionKeyKind, PartitionKeyValue, PartitionKeyVersion,
};
pub use position::{
    ContinuationToken, Etag, EtagCondition, Lsn, SessionToken, TimestampMs, TimestampSeconds,
};
pub use value::{
    Json, Number, Object, ParseError, PropertyPath, compare, compare_strings, structural_hash,
};
