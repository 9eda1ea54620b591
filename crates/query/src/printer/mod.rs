//! Syntax tree to text, in the service's normal form.
//!
//! Owns the form that clients receive in query plans and send back: one clause per line, parentheses around every
//! operator, double quotes, the user's spelling of functions and sort directions. Printed text parses to the same tree,
//! unless it exceeds the maximum length of a text.

mod number;
mod query;
mod scalar;
mod writer;

#[cfg(test)]
mod tests;

use writer::Printer;
pub use writer::{print, print_scalar};
