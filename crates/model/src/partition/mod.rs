//! Partitioning: which key an item has, where it hashes to, and how the space of hashes is cut.
//!
//! Owns partition keys, effective partition keys, epk ranges and feed ranges. Does not own physical partitions or the
//! partition map: those live in the engine.

pub(crate) mod murmur;
