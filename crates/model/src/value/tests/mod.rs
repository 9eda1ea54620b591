//! The longer tests of values, one file per file tested.

mod parse;
mod partial;
mod serde;
