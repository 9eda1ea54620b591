//! The binder's view of the function registry.
//!
//! Owns the interface: whether a name exists, its canonical name and its number of arguments. Does not own any
//! function.

use crate::function::Arity;

/// A set of built-in functions.
pub trait FunctionCatalog {
    /// Finds a function by its name or an alias, in any case.
    fn find(&self, name: &str) -> Option<FunctionSignature>;
}

/// What the binder needs to know about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSignature {
    /// The canonical name, whatever alias was used.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: Arity,
    /// Whether it works on a row or on a group.
    pub kind: FunctionKind,
}

/// Whether a function works on a row or on a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The values of one row.
    Scalar,
    /// One value of every row of a group.
    Aggregate,
}
