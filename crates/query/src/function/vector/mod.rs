//! Functions on vectors.
//!
//! Owns the exact distance of two vectors. Does not own vector search.

mod distance;

pub(super) use distance::FUNCTIONS as DISTANCE;
