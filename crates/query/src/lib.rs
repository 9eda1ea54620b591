//! The query language (skeleton).

pub mod function;
pub mod value;
