//! The output of the printer.
//!
//! Owns lines, lists and quotes, and the two entry points. Does not own the form of clauses and expressions.

use crate::ast::{PARENTHESES_MAX, QueryTree, Scalar, TREE_LEVELS_MAX};

/// The longest chain of operators that is printed with parentheses around each operator. A longer one is printed with a
/// single pair, which means the same.
pub(super) const NESTED_OPERATORS_MAX: usize = 999;

/// The largest number of open parentheses up to which chains are printed like that. Beyond it every chain has one pair.
/// A tree has at most `TREE_LEVELS_MAX` chains inside each other, so the parser never meets more than `PARENTHESES_MAX`
/// pairs.
const NESTED_PAIRS_MAX: usize = PARENTHESES_MAX - TREE_LEVELS_MAX;

/// Prints a query in normal form.
#[must_use]
pub fn print(query: &QueryTree) -> String {
    let mut printer = Printer::default();
    printer.query(query);
    printer.text
}

/// Prints an expression in normal form, as inside a query.
#[must_use]
pub fn print_scalar(scalar: &Scalar) -> String {
    let mut printer = Printer::default();
    printer.scalar(scalar);
    printer.text
}

/// The text printed so far.
#[derive(Default)]
pub(super) struct Printer {
    pub(super) text: String,
    /// How many subqueries enclose the clause being printed.
    pub(super) depth: usize,
    /// The number of open pairs of parentheses, apart from those of calls, lists and subqueries.
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

    /// Whether a chain of that many operators is printed with parentheses around each.
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

    /// Prints values separated by a comma and a space.
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
