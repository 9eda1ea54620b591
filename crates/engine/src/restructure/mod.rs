//! Splitting and merging physical partitions while they are in use.
//!
//! Owns both operations, the copying they share, the switch to the copies, and which partitions are split in the
//! background: those of a container whose throughput needs more of them, and by `AutoSplit` those that are too large or
//! too hot. Every other split and merge is a caller's decision.

mod background;
mod copy;
mod cut;
mod merge;
mod replace;
mod split;

pub use background::DueSplits;
