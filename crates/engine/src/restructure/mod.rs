//! Splitting and merging physical partitions while they are in use.
//!
//! Owns both operations, the copying they share and the switch to the copies. Does not own when a partition should be
//! split: a caller decides.

mod copy;
mod merge;
mod replace;
mod split;
