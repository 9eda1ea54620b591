//! Hybrid search: ORDER BY RANK.
//!
//! Owns the split into one query per score and one for the statistics of the whole container, and how clients fuse the
//! ranks. Does not own the fusion itself nor the scores.

mod component;
mod info;
mod statistics;

pub use info::HybridInfo;

pub(super) use info::hybrid;
