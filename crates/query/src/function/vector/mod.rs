//! Functions on vectors.
//!
//! Owns the exact distance of two vectors. Does not own search: an index narrows it down first.

pub(super) mod distance;
