//! The query language (skeleton).

pub mod value;
