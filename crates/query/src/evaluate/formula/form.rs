//! Expressions ready to be evaluated many times.
//!
//! Owns the forms; they mirror those of `bind::Expression`, with constants as values and functions looked up. Does not
//! own how they are made (see `prepare`) nor what they mean (see `evaluate` and the files beside it).

use std::sync::Arc;

use super::call::FunctionCall;
use super::like::Like;
use super::membership::Membership;
use super::subquery::Subquery;
use crate::ast::{BinaryOperator, Negation, SubqueryKind, UnaryOperator};
use crate::bind::PathStep;
use crate::value::Value;

/// A prepared expression.
#[derive(Debug)]
pub(crate) enum Formula {
    /// The same value for every row.
    Constant(Value),
    /// The value of a slot.
    Input(usize),
    /// The value of an expression of GROUP BY.
    GroupKey(usize),
    /// The result of an aggregate.
    Aggregate(usize),
    /// A path of properties and elements below a value.
    Member { target: Box<Formula>, steps: Vec<PathStep> },
    /// A prefix operator and its operand.
    Unary { operator: UnaryOperator, operand: Box<Formula> },
    /// Operators of one precedence, left-associative.
    Chain { first: Box<Formula>, rest: Vec<(BinaryOperator, Formula)> },
    /// The first operand that is defined.
    Coalesce(Vec<Formula>),
    /// The value of the first branch whose condition is true.
    Conditional { branches: Vec<(Formula, Formula)>, otherwise: Box<Formula> },
    /// Whether a value lies between two others.
    Between { negation: Negation, value: Box<Formula>, low: Box<Formula>, high: Box<Formula> },
    /// Whether a value equals one of a list.
    In(Box<Membership>),
    /// Whether a string matches a pattern.
    Like(Box<Like>),
    /// An object.
    Object(Vec<(Arc<str>, Formula)>),
    /// An array.
    Array(Vec<Formula>),
    /// A call of a built-in function.
    Call(Box<FunctionCall>),
    /// A call of a user-defined function.
    UdfCall { function: String, arguments: Vec<Formula> },
    /// A function that only a plan can compute.
    Planned(&'static str),
    /// A subquery.
    Subquery { kind: SubqueryKind, query: Box<dyn Subquery> },
}

impl Formula {
    /// The value, if the formula is a constant.
    pub(super) fn constant(&self) -> Option<&Value> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }
}
