//! Functions on arrays and sets.
//!
//! Owns the functions on one array, one file each. Does not own aggregates over rows.

mod choose;
mod concat;
mod contains;
mod contains_several;
mod extreme;
mod length;
mod object_to_array;
mod set;
mod slice;
mod statistics;

pub(super) use {
    choose::FUNCTIONS as CHOOSE, concat::FUNCTIONS as CONCAT, contains::FUNCTIONS as CONTAINS,
    contains_several::FUNCTIONS as CONTAINS_SEVERAL, extreme::FUNCTIONS as EXTREME,
    length::FUNCTIONS as LENGTH, object_to_array::FUNCTIONS as OBJECT_TO_ARRAY,
    set::FUNCTIONS as SET, slice::FUNCTIONS as SLICE, statistics::FUNCTIONS as STATISTICS,
};
