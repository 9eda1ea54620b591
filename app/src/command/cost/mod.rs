//! `planisphere cost`: what an item costs with an indexing policy, and how well the model fits your own charges.
//!
//! The formula is `model::charge`. No store is opened.

mod arguments;
mod file;
mod item;
mod refit;
mod table;

pub(crate) use arguments::{CostCommand, profile};
