//! Fused ranks.
//!
//! Owns ORDER BY RANK: one query per score, one for the statistics of the whole container, and how the ranks are fused.
//! Does not own the fusion itself, nor the scores.

mod component;
mod info;
mod statistics;

pub use info::HybridInfo;

pub(super) use info::hybrid;
