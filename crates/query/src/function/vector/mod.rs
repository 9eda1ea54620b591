//! Functions on vectors.

pub(super) mod distance;
