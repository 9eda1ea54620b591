//! A query, clause by clause.
//!
//! Owns the clauses around the expressions. Does not own the inputs of FROM (see `source`) nor expressions (see
//! `scalar`).

use super::{FromClause, Identifier, Scalar, Span};

/// A whole query, or a subquery.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTree {
    /// What each row becomes.
    pub select: Select,
    /// The inputs.
    pub from: Option<FromClause>,
    /// The condition of WHERE.
    pub filter: Option<Scalar>,
    /// The expressions of GROUP BY; empty without that clause.
    pub group_by: Vec<Scalar>,
    /// The order of the rows.
    pub order_by: Option<OrderBy>,
    /// Which of the ordered rows are wanted.
    pub offset_limit: Option<OffsetLimit>,
    /// From SELECT to the last token.
    pub span: Span,
}

/// The clause SELECT.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// Whether duplicate rows are removed.
    pub distinct: bool,
    /// The largest number of rows.
    pub top: Option<Top>,
    /// What each row becomes.
    pub selection: Selection,
}

/// `TOP n`.
#[derive(Clone, Debug, PartialEq)]
pub struct Top {
    /// How many.
    pub count: Count,
    /// The whole clause.
    pub span: Span,
}

/// What each row becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// `*`: the input itself.
    Star(Span),
    /// `VALUE e`: the value of an expression.
    Value(Box<Scalar>),
    /// An object with one property per item.
    List(Vec<SelectItem>),
}

/// One property of the object a row becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectItem {
    /// Its value.
    pub expression: Scalar,
    /// Its name, if written.
    pub alias: Option<Identifier>,
}

/// The clause ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderBy {
    /// By values.
    Items(Vec<OrderItem>, Span),
    /// `ORDER BY RANK`: by scores, each a function call.
    Rank(Vec<Scalar>, Span),
}

/// One value to order by.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderItem {
    /// The value.
    pub expression: Scalar,
    /// The direction, if written.
    pub direction: Option<OrderDirection>,
}

/// A sort direction as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderDirection {
    /// The direction.
    pub order: SortOrder,
    /// Its spelling, which printed queries keep.
    pub spelling: String,
}

/// A sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortOrder {
    /// Smaller first.
    Ascending,
    /// Greater first.
    Descending,
}

/// The clause `OFFSET n LIMIT m`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetLimit {
    /// How many rows are skipped.
    pub offset: Count,
    /// How many of the following rows are returned.
    pub limit: Count,
    /// The whole clause.
    pub span: Span,
}

/// A number of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The number, or where it comes from.
    pub kind: CountKind,
    /// Where it was written.
    pub span: Span,
}

/// A number of rows, as a literal or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum CountKind {
    /// A literal. Its range is checked when the query is bound.
    Number(super::Literal),
    /// The name of a parameter, with its `@`.
    Parameter(String),
}
