//! What the binder asks of the function registry.
//!
//! Owns the question: does a name exist, under which canonical name, with how many arguments. Does not own any
//! function.

use std::fmt;

/// The built-in functions, seen from outside.
pub trait FunctionCatalog {
    /// The function of a name, in any case and by any of its aliases.
    fn find(&self, name: &str) -> Option<FunctionSignature>;
}

/// What the binder must know of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSignature {
    /// The canonical name: one per function, whatever alias was used.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: Arity,
    /// What it consumes.
    pub kind: FunctionKind,
}

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// At least so many.
    pub least: usize,
    /// At most so many, if there is an end.
    pub most: Option<usize>,
}

/// What a function consumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The values of one row.
    Scalar,
    /// One value of every row of a group.
    Aggregate,
}

impl Arity {
    /// Whether a number of arguments fits.
    #[must_use]
    pub fn accepts(self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

impl fmt::Display for Arity {
    /// The number as messages put it: `2`, `2 to 3`, `at least 2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            None => write!(formatter, "at least {}", self.least),
            Some(most) if most == self.least => write!(formatter, "{most}"),
            Some(most) => write!(formatter, "{} to {most}", self.least),
        }
    }
}
