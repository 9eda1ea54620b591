//! JSON values: what a client sends, what an item holds, how values are ordered.
//!
//! Owns the value tree, exact numbers, the total order and property paths. Does not own storage bytes or queries.

mod json;
mod number;
mod parse;
mod print;

pub use json::{Json, Object};
pub use number::Number;
pub use parse::ParseError;
