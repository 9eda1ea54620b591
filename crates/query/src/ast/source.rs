//! The inputs of FROM.
//!
//! Owns the syntax of inputs and their paths. Does not decide whether a root is the container or an alias: see `bind`.

use super::{Name, Query, Span};

/// The clause FROM: the first input and those joined to it, never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct FromClause {
    /// The first input.
    pub first: Source,
    /// `JOIN` after `JOIN`.
    pub joins: Vec<Source>,
}

impl FromClause {
    /// All inputs in order.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.first).chain(&self.joins)
    }
}

/// One input.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// How it gives rows.
    pub form: SourceForm,
    /// Where it looks.
    pub path: SourcePath,
    /// From its first to its last token.
    pub span: Span,
}

/// How an input gives rows.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceForm {
    /// `path [AS alias]`: one row with the value at the path.
    Value(Option<Name>),
    /// `alias IN path`: one row per element of the array at the path.
    Iterate(Name),
}

/// Where an input looks.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcePath {
    /// Where the path starts.
    pub root: SourceRoot,
    /// The steps from there.
    pub steps: Vec<SourceStep>,
}

/// Where a path starts.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceRoot {
    /// The container under any name, or an alias bound before.
    Name(Name),
    /// The rows of a query.
    Subquery(Box<Query>),
}

/// One step of a path in FROM.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceStep {
    /// `.name`
    Property(Name),
    /// `["name"]`
    Quoted(Name),
    /// `[0]`
    Index(i64),
}
