//! The generated function reference.
//!
//! Owns the page and which index serves a function. Does not own the texts about functions: those are in their
//! declarations.

mod index;
mod page;

#[cfg(test)]
mod tests;

pub use page::function_reference;
