//! The reference of all functions.
//!
//! Owns the page and the question which index serves a function today. Does not own a word about any function: those
//! are declared.

mod index;
mod page;

#[cfg(test)]
mod tests;

pub use page::function_reference;
