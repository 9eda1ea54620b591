//! `planisphere cost`: what an item costs under an indexing policy, and how well the model fits your own charges.
//!
//! Owns the flags, the files and the printed tables. Does not own a price: `model::charge` has the formula. Opens no
//! store.

mod arguments;
mod file;
mod item;
mod refit;
mod table;

pub(crate) use arguments::{Cost, profile};
