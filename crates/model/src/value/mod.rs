//! JSON values: the tree, parsing, printing, ordering and serde conversions.
//!
//! Owns the value tree, exact numbers, the total order and property paths. Does not own storage bytes or queries.

mod bytes;
mod double_text;
mod json;
mod measured;
mod number;
mod parse;
mod partial;
mod print;
mod serde;

mod hash;
mod order;
mod path;

#[cfg(test)]
pub(crate) mod arbitrary;
#[cfg(test)]
mod tests;

pub use double_text::double_text;
pub use hash::{array_hash, structural_hash, text_hash};
pub use json::{Json, Object};
pub use measured::MeasuredJson;
pub(crate) use measured::set_service_numbers;
pub use number::Number;
pub use order::{compare, compare_strings};
pub use parse::ParseError;
pub use path::PropertyPath;
pub use serde::ConversionError;
