//! Filters to conditions.
//!
//! Owns the traversal of a filter, which asks of each part when it is true and when it is false. Undefined is neither,
//! so one is not the negation of the other: `NOT (c.a < 1)` does not hold for items without `a`. Comparisons and calls
//! have files of their own.

use super::scope::{PathScope, ResolvedPath};
use super::set::ValueSet;
use super::tree::Condition;
use crate::ast::{BinaryOperator, Negation, Precedence, SubqueryKind, UnaryOperator};
use crate::bind::{BoundQuery, Expression, Grouping, Input};
use crate::evaluate::constant;
use crate::value::Value;

/// Levels of expressions inside each other that are looked at. Nothing is known of deeper ones: the filter is evaluated
/// then, and the stack stays small.
const LEVELS_MAX: usize = 64;

/// What is known about the items whose rows pass the filters of a query, including those of its inputs.
#[must_use]
pub fn row_condition(query: &BoundQuery) -> Condition {
    rows(query, &PathScope::default())
}

/// What is known about the items for which a filter is true.
#[must_use]
pub fn filter_condition(filter: &Expression, scope: &PathScope) -> Condition {
    outcome(filter, Truth::True, scope, LEVELS_MAX)
}

/// Whether the expression shall be true or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    True,
    False,
}

impl Truth {
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
        }
    }

    /// The same for an expression under a negation.
    pub(super) fn under(self, negation: Negation) -> Self {
        match negation {
            Negation::Plain => self,
            Negation::Negated => self.opposite(),
        }
    }
}

fn rows(query: &BoundQuery, around: &PathScope) -> Condition {
    let scope = around.enter(query);
    let filter = query.filter.iter().map(|filter| filter_condition(filter, &scope));
    let inputs = query.sources.iter().filter_map(|source| match &source.root {
        // The single group exists even without items, so its row implies nothing about any item.
        Input::Query(inner) if inner.grouping == Grouping::Whole => Some(Condition::Unknown),
        // The filter of an inner query limits the items, but its rows may be filtered further by the outer one.
        Input::Query(inner) => Some(rows(inner, &scope.around(source)).rechecked()),
        Input::Container | Input::Slot(_) => None,
    });
    Condition::all(filter.chain(inputs))
}

fn outcome(expression: &Expression, truth: Truth, scope: &PathScope, levels: usize) -> Condition {
    let Some(below) = levels.checked_sub(1) else { return Condition::Unknown };
    if let Some(value) = constant(expression) {
        return fixed(&value, truth);
    }
    match expression {
        Expression::Input(_) | Expression::Member { .. } => boolean_path(expression, truth, scope),
        Expression::Unary { operator: UnaryOperator::Not, operand } => {
            // Not the complement of the condition: undefined is neither true nor false.
            outcome(operand, truth.opposite(), scope, below)
        }
        Expression::Chain { first, rest } => chain((first, rest), truth, scope, below),
        Expression::Between { negation, value, low, high } => {
            let truth = truth.under(*negation);
            let low = super::comparison::compare(
                value,
                BinaryOperator::GreaterOrEqual,
                low,
                truth,
                scope,
            );
            let high =
                super::comparison::compare(value, BinaryOperator::LessOrEqual, high, truth, scope);
            match truth {
                Truth::True => Condition::all([low, high]),
                Truth::False => Condition::any([low, high]),
            }
        }
        Expression::In { negation, value, list } => {
            super::comparison::membership(value, list, truth.under(*negation), scope)
        }
        Expression::Like { negation, value, pattern, escape } => {
            super::call::like(value, pattern, *escape, truth.under(*negation), scope)
        }
        Expression::Call { function, arguments } => {
            super::call::call(function, arguments, truth, scope)
        }
        Expression::Subquery { kind: SubqueryKind::Exists, query } if truth == Truth::True => {
            exists(query, scope)
        }
        _ => Condition::Unknown,
    }
}

/// The condition under which a subquery has a row.
pub(super) fn exists(query: &BoundQuery, scope: &PathScope) -> Condition {
    if query.grouping == Grouping::Whole {
        return Condition::Unknown;
    }
    let inner = scope.enter(query);
    let elements = query.sources.iter().map(|source| {
        let input = Expression::Input(source.slot);
        match inner.resolve(&input) {
            Some(ResolvedPath::Path(path, exactness)) if source.iterates => {
                Condition::path(path, ValueSet::defined(), exactness)
            }
            Some(ResolvedPath::Absent) => Condition::Never,
            _ => Condition::Unknown,
        }
    });
    match rows(query, scope) {
        // Without a condition on the elements it is enough that there is one.
        Condition::Always => Condition::all(elements).rechecked(),
        condition => condition.rechecked(),
    }
}

fn fixed(value: &Value, truth: Truth) -> Condition {
    if value.as_bool() == Some(truth == Truth::True) { Condition::Always } else { Condition::Never }
}

/// A path that is used as a condition.
fn boolean_path(expression: &Expression, truth: Truth, scope: &PathScope) -> Condition {
    match scope.resolve(expression) {
        Some(ResolvedPath::Path(path, exactness)) => {
            let value = model::Json::Bool(truth == Truth::True);
            Condition::path(path, ValueSet::point(&value), exactness)
        }
        Some(ResolvedPath::Absent) => Condition::Never,
        None => Condition::Unknown,
    }
}

fn chain(
    (first, rest): (&Expression, &[(BinaryOperator, Expression)]),
    truth: Truth,
    scope: &PathScope,
    levels: usize,
) -> Condition {
    let Some((operator, second)) = rest.first() else {
        return Condition::Unknown;
    };
    let operands = || std::iter::once(first).chain(rest.iter().map(|(_, operand)| operand));
    let parts = || operands().map(|operand| outcome(operand, truth, scope, levels));
    match (operator.precedence(), truth) {
        (Precedence::And, Truth::True) | (Precedence::Or, Truth::False) => Condition::all(parts()),
        (Precedence::Or, Truth::True) | (Precedence::And, Truth::False) => Condition::any(parts()),
        // `a = b = c` compares a Boolean with c: no index helps.
        (Precedence::Comparison, _) if rest.len() == 1 => {
            super::comparison::compare(first, *operator, second, truth, scope)
        }
        _ => Condition::Unknown,
    }
}
