//! Expressions.
//!
//! Owns the forms of an expression. Trees made by the parser or by the constructors of `build` are canonical: a chain
//! never starts with a chain of its own precedence, a member access never has a member access as target, the last
//! operand of `??` is not a `??`, the last branch of a conditional is not a conditional, and no minus stands before a
//! number.

use super::{BinaryOperator, Identifier, Literal, QueryTree, Span, UnaryOperator};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// What it is.
    pub kind: ScalarKind,
    /// Its location, without parentheses around it.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarKind {
    /// A constant.
    Literal(Literal),
    /// The name of a parameter, with its `@`.
    Parameter(String),
    /// An input alias.
    Identifier(String),
    /// A path of properties and elements below a value.
    Member(Member),
    /// A prefix operator and its operand.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// What it applies to.
        operand: Box<Scalar>,
    },
    /// Operators of one precedence between operands, left-associative: `a + b - c` is `(a + b) - c`.
    Chain {
        /// The leftmost operand.
        first: Box<Scalar>,
        /// The operators with their right operands, never empty.
        rest: Vec<(BinaryOperator, Scalar)>,
    },
    /// `a ?? b ?? c`, right-associative; at least two operands.
    Coalesce(Vec<Scalar>),
    /// `a ? b : c ? d : e`.
    Conditional {
        /// The conditions with their values, never empty.
        branches: Vec<ConditionalBranch>,
        /// The value if no condition is true.
        otherwise: Box<Scalar>,
    },
    /// `value [NOT] BETWEEN low AND high`.
    Between {
        /// Whether NOT was written.
        negation: Negation,
        /// The value tested.
        value: Box<Scalar>,
        /// The lower bound.
        low: Box<Scalar>,
        /// The upper bound.
        high: Box<Scalar>,
    },
    /// `value [NOT] IN (a, b)`.
    In {
        /// Whether NOT was written.
        negation: Negation,
        /// The value tested.
        value: Box<Scalar>,
        /// The candidates, never empty.
        list: Vec<Scalar>,
    },
    /// `value [NOT] LIKE pattern [ESCAPE 'c']`.
    Like {
        /// Whether NOT was written.
        negation: Negation,
        /// The value tested.
        value: Box<Scalar>,
        /// The pattern.
        pattern: Box<Scalar>,
        /// The escape character: the character after it is matched literally.
        escape: Option<char>,
    },
    /// `{name: value}`.
    Object(Vec<ObjectMember>),
    /// `[value, value]`.
    Array(Vec<Scalar>),
    /// A call of a built-in function, in the user's spelling.
    Call {
        /// The function.
        function: Identifier,
        /// Its arguments.
        arguments: Vec<Scalar>,
    },
    /// A call of a user-defined function.
    UdfCall {
        /// The function, without the prefix `udf.`.
        function: Identifier,
        /// Its arguments.
        arguments: Vec<Scalar>,
    },
    /// A subquery.
    Subquery {
        /// How its rows become a value.
        kind: SubqueryKind,
        /// The query.
        query: Box<QueryTree>,
    },
}

/// A path below a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Where the path starts.
    pub target: Box<Scalar>,
    /// The steps, never empty.
    pub steps: Vec<MemberStep>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberStep {
    /// `.name`
    Property(Identifier),
    /// `[expression]`
    Index(Scalar),
}

/// Whether BETWEEN, IN or LIKE is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negation {
    /// Without NOT.
    Plain,
    /// With NOT.
    Negated,
}

/// One condition of a conditional with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionalBranch {
    /// The condition.
    pub condition: Scalar,
    /// The value if the condition is true.
    pub value: Scalar,
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectMember {
    /// Its name.
    pub name: Identifier,
    /// Its value.
    pub value: Scalar,
}

/// How the rows of a subquery become a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubqueryKind {
    /// `(q)`: the only row.
    Scalar,
    /// `EXISTS(q)`: whether it has a row.
    Exists,
    /// `ARRAY(q)`: all rows.
    Array,
    /// `ALL(q)`: whether every row is true.
    All,
    /// `FIRST(q)`: the first row.
    First,
    /// `LAST(q)`: the last row.
    Last,
}
