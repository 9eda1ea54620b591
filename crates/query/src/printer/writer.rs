//! The text under construction.
//!
//! Owns lines, lists and quotes, and the two entrances. Does not own the form of clauses and expressions.

use crate::ast::{PARENTHESES_MAX, Query, Scalar, TREE_LEVELS_MAX};

/// Operators up to which a chain is printed with parentheses round each. Longer ones are printed with one pair, which
/// means the same.
pub(super) const NESTED_OPERATORS_MAX: usize = 999;

/// Pairs of parentheses up to which chains are printed so. Beyond it every chain has one pair, as many as the tree has
/// levels at most, so the parser never finds too many.
const NESTED_PAIRS_MAX: usize = PARENTHESES_MAX - TREE_LEVELS_MAX;

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
    /// Pairs of parentheses that are open, but for those of calls, lists and subqueries.
    pairs: usize,
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

    /// Whether a chain of so many operators has a pair of parentheses for each.
    pub(super) fn is_nested(&self, operators: usize) -> bool {
        operators <= NESTED_OPERATORS_MAX && self.pairs + operators <= NESTED_PAIRS_MAX
    }

    pub(super) fn open(&mut self, pairs: usize) {
        self.pairs += pairs;
        self.text.extend(std::iter::repeat_n('(', pairs));
    }

    pub(super) fn close(&mut self, pairs: usize) {
        self.pairs = self.pairs.saturating_sub(pairs);
        self.text.extend(std::iter::repeat_n(')', pairs));
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
