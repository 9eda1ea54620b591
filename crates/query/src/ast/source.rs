//! The inputs of FROM.
//!
//! Owns the syntax of inputs and their paths. Does not decide whether a root is the container or an alias: see `bind`.

use super::{Identifier, QueryTree, Span};

/// The clause FROM: the first input and those joined to it, never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct FromClause {
    /// The first input.
    pub first: Source,
    /// The joined inputs.
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
    /// How it produces rows.
    pub form: SourceForm,
    /// The value it reads.
    pub path: SourcePath,
    /// From its first to its last token.
    pub span: Span,
}

/// How an input produces rows.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceForm {
    /// `path [AS alias]`: one row with the value at the path.
    Value(Option<Identifier>),
    /// `alias IN path`: one row per element of the array at the path.
    Iterate(Identifier),
}

/// The value that an input reads.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcePath {
    /// Where the path starts.
    pub root: SourceRoot,
    /// The steps from there.
    pub steps: Vec<SourceStep>,
    /// From its first to its last token, without an alias.
    pub span: Span,
}

/// Where a path starts.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceRoot {
    /// The container under any name, or an earlier alias.
    Name(Identifier),
    /// The rows of a query.
    Subquery(Box<QueryTree>),
}

/// One step of a path in FROM.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceStep {
    /// `.name`
    Property(Identifier),
    /// `["name"]`
    Quoted(Identifier),
    /// `[0]`
    Index(i64),
}
