//! Functions on arrays and sets.
//!
//! Owns the functions on one array, one file each. Does not own aggregates over rows.

pub(super) mod choose;
pub(super) mod concat;
pub(super) mod contains;
pub(super) mod contains_several;
pub(super) mod extreme;
pub(super) mod length;
pub(super) mod object_to_array;
pub(super) mod set;
pub(super) mod slice;
pub(super) mod statistics;
