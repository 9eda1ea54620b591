//! Bound expressions.
//!
//! Owns the form in which expressions are evaluated: aliases are slots, parameters are values, indexes are constants,
//! group keys and aggregates are indexes into the lists of their query. Does not own evaluation.

use model::Json;

use super::BoundQuery;
use crate::ast::{BinaryOperator, Literal, Negation, SubqueryKind, UnaryOperator};

/// An expression ready to be evaluated.
///
/// A slot is an index into the list of all inputs in scope: a subquery sees the slots of all queries around it and adds
/// its own after them.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A constant of the text.
    Literal(Literal),
    /// The value of a parameter.
    Parameter(Json),
    /// The value of an input.
    Input(usize),
    /// The value of an expression of GROUP BY, by its position there.
    GroupKey(usize),
    /// The result of an aggregate, by its position in the list of its query.
    Aggregate(usize),
    /// A path of properties and elements below a value.
    Member {
        /// Where the path starts.
        target: Box<Expression>,
        /// The steps down.
        steps: Vec<PathStep>,
    },
    /// A prefix operator and its operand.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// What it applies to.
        operand: Box<Expression>,
    },
    /// Operators of one precedence, left-associative.
    Chain {
        /// The leftmost operand.
        first: Box<Expression>,
        /// The operators with their right operands.
        rest: Vec<(BinaryOperator, Expression)>,
    },
    /// The first operand that is defined.
    Coalesce(Vec<Expression>),
    /// The value of the first branch whose condition is true.
    Conditional {
        /// Conditions with their values.
        branches: Vec<(Expression, Expression)>,
        /// The value when no condition is true.
        otherwise: Box<Expression>,
    },
    /// Whether a value lies between two others.
    Between {
        /// Whether the result is negated.
        negation: Negation,
        /// The value tested.
        value: Box<Expression>,
        /// The lower bound.
        low: Box<Expression>,
        /// The upper bound.
        high: Box<Expression>,
    },
    /// Whether a value equals one of a list.
    In {
        /// Whether the result is negated.
        negation: Negation,
        /// The value tested.
        value: Box<Expression>,
        /// The candidates.
        list: Vec<Expression>,
    },
    /// Whether a string matches a pattern.
    Like {
        /// Whether the result is negated.
        negation: Negation,
        /// The value tested.
        value: Box<Expression>,
        /// The pattern.
        pattern: Box<Expression>,
        /// The escape character: the character after it is matched literally.
        escape: Option<char>,
    },
    /// An object.
    Object(Vec<(String, Expression)>),
    /// An array.
    Array(Vec<Expression>),
    /// A call of a built-in function by its canonical name.
    Call {
        /// The function.
        function: &'static str,
        /// Its arguments; their number has been checked.
        arguments: Vec<Expression>,
    },
    /// A call of a user-defined function.
    UdfCall {
        /// The function. Whether it exists is only known when it is called.
        function: String,
        /// Its arguments.
        arguments: Vec<Expression>,
    },
    /// A subquery.
    Subquery {
        /// How its rows become a value.
        kind: SubqueryKind,
        /// The query.
        query: Box<BoundQuery>,
    },
}

impl Expression {
    /// The placeholder for an expression that could not be bound.
    pub(in crate::bind) const UNDEFINED: Self = Self::Literal(Literal::Undefined);

    /// Calls `visit` with each direct child of this expression. The expressions of a subquery are not children.
    pub(crate) fn for_each_child<'tree>(&'tree self, visit: &mut dyn FnMut(&'tree Self)) {
        match self {
            Self::Literal(_)
            | Self::Parameter(_)
            | Self::Input(_)
            | Self::GroupKey(_)
            | Self::Aggregate(_)
            | Self::Subquery { .. } => {}
            Self::Member { target: part, .. } | Self::Unary { operand: part, .. } => visit(part),
            Self::Chain { first, rest } => {
                visit(first);
                rest.iter().for_each(|(_, operand)| visit(operand));
            }
            Self::Conditional { branches, otherwise } => {
                for (condition, value) in branches {
                    visit(condition);
                    visit(value);
                }
                visit(otherwise);
            }
            Self::Between { value, low, high, .. } => {
                visit(value);
                visit(low);
                visit(high);
            }
            Self::In { value, list, .. } => {
                visit(value);
                list.iter().for_each(visit);
            }
            Self::Like { value, pattern, .. } => {
                visit(value);
                visit(pattern);
            }
            Self::Object(members) => members.iter().for_each(|(_, value)| visit(value)),
            Self::Coalesce(parts)
            | Self::Array(parts)
            | Self::Call { arguments: parts, .. }
            | Self::UdfCall { arguments: parts, .. } => parts.iter().for_each(visit),
        }
    }
}

/// One constant step down a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// To a property.
    Property(String),
    /// To an element.
    Index(i64),
    /// Nowhere: the index is neither a string nor a whole number, so the value is undefined.
    Nowhere,
}
