//! Functions on vectors.
//!
//! Owns the exact distance of two vectors. Does not own vector search.

pub(super) mod distance;
