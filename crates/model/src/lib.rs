//! The words of the domain as types.
//!
//! Owns values, names, partition keys, positions, resource properties and request options: one word, one file. Does
//! not own I/O, a clock, randomness, async, HTTP names or storage keys; every function here is pure.

mod invalid;
pub mod limits;
pub mod value;

pub use invalid::{Invalid, Result};
pub use value::{Json, Number, Object};
