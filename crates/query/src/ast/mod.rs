//! The syntax tree of a query.
//!
//! Owns plain data: what the user wrote, with location and spelling, in one canonical form. Chains of operators are
//! flat (`a AND b AND c` is one chain of three operands), so the depth of a tree is the depth of the user's nesting and
//! never the length of a list. Does not own names: `bind` decides whether an alias or a function exists.

mod build;
mod limits;
mod literal;
mod operator;
mod query;
mod scalar;
mod source;
mod span;
mod visit;

#[cfg(test)]
mod tests;

pub(crate) use limits::{PARENTHESES_MAX, TREE_LEVELS_MAX};
pub use literal::Literal;
pub use operator::{BinaryOperator, Precedence, UnaryOperator};
pub use query::{
    Count, CountKind, OffsetLimit, OrderBy, OrderDirection, OrderItem, QueryTree, Select,
    SelectItem, Selection, SortOrder, Top,
};
pub use scalar::{
    ConditionalBranch, Member, MemberStep, Negation, ObjectMember, Scalar, ScalarKind, SubqueryKind,
};
pub use source::{FromClause, Source, SourceForm, SourcePath, SourceRoot, SourceStep};
pub use span::{Identifier, Span};
