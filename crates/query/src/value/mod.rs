//! Values of evaluation: comparison, order, logic, arithmetic and printing.
//!
//! Owns the value type, which includes undefined, three-valued logic, arithmetic, UTF-16 text positions and LIKE. Does
//! not own functions, expressions or stored items: those are `model::Json` until a query reads them.

mod datum;
mod json;
mod number;
mod print;

mod compare;
mod hash;
pub(crate) mod operate;
mod order;

pub mod arithmetic;
pub mod bitwise;
pub mod like;
pub mod logic;
pub mod utf16;

#[cfg(test)]
pub(crate) mod arbitrary;
#[cfg(test)]
mod tests;

pub use compare::{
    between, equal, greater, greater_or_equal, in_list, less, less_or_equal, not_equal, relate,
};
pub use datum::{Value, ValueObject};
pub use hash::structural_hash;
pub use like::{LikePattern, LikeShape};
pub use order::total_order;
pub use print::NotRepresentable;
