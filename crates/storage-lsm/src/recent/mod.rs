//! What was read lately, in front of the tree: finding a value here costs a twentieth of finding it there.
//!
//! Owns which views may use what is here. Does not own the tree.

mod page;
mod reads;
mod region;
mod shelf;
mod together;

pub(crate) use reads::{HashedKey, Recent};
pub(crate) use shelf::SeenBatch;
