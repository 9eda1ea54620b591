//! Tree to text, in the service's normal form.
//!
//! Owns the form that clients receive in query plans and send back: one clause per line, parentheses round every
//! operator, double quotes, the user's spelling of functions and directions. What is printed parses to the same tree,
//! as long as it is no longer than a text may be.

mod number;
mod query;
mod scalar;
mod writer;

#[cfg(test)]
mod tests;

use writer::Printer;
pub use writer::{print, print_scalar};
