//! The text under construction.
//!
//! Owns lines, lists and quotes, and the two entrances. Does not own the form of clauses and expressions.

use crate::ast::{Query, Scalar};

/// Operands up to which a chain is printed with parentheses round each operator. Longer ones are printed flat, which
/// means the same and keeps the text within the parser's limits.
pub(super) const NESTED_OPERANDS_MAX: usize = 1000;

/// The same for operators that group to the right, where every parenthesis costs the parser a level.
pub(super) const NESTED_RIGHT_OPERANDS_MAX: usize = 8;

/// The normal form of a query.
#[must_use]
pub fn print(query: &Query) -> String {
    let mut printer = Printer::default();
    printer.query(query);
    printer.text
}

/// The normal form of an expression, as it stands inside a query.
#[must_use]
pub fn print_scalar(scalar: &Scalar) -> String {
    let mut printer = Printer::default();
    printer.scalar(scalar);
    printer.text
}

/// Text under construction.
#[derive(Default)]
pub(super) struct Printer {
    pub(super) text: String,
    /// How many subqueries enclose the clause being printed.
    pub(super) depth: usize,
}

impl Printer {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Starts a line at the depth of the query being printed.
    pub(super) fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
    }

    /// Prints parts with a comma and a space between them.
    pub(super) fn list<T>(&mut self, parts: &[T], mut part: impl FnMut(&mut Self, &T)) {
        for (index, value) in parts.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            part(self, value);
        }
    }

    /// A string in double quotes, escaped as JSON.
    pub(super) fn quoted(&mut self, text: &str) {
        let quoted = model::Json::from(text).to_string();
        self.push(&quoted);
    }
}
