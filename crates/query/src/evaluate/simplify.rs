//! Simplification of filters.
//!
//! Clients send a rewritten query back with `true` in place of its resume filter, so `(x AND true)` becomes `x`, and a
//! filter that is always true is dropped. Which items a filter selects is decided in `plan::condition`, which reads a
//! resume filter as one range of values.

use super::constant;
use crate::ast::{BinaryOperator, Precedence};
use crate::bind::Expression;

/// Levels of AND and OR inside each other that are simplified; deeper ones stay as they are, which is correct and keeps
/// the stack small. Resume filters have few.
const LEVELS_MAX: usize = 32;

/// The conjuncts of a filter, without those that are always true; empty if nothing is left.
///
/// A filter that no row passes becomes a single false conjunct.
#[must_use]
pub fn conjuncts(filter: &Expression) -> Vec<Expression> {
    conjuncts_within(filter, LEVELS_MAX)
}

/// The filter without redundant parts; `None` if it is always true.
#[must_use]
pub fn simplify(filter: &Expression) -> Option<Expression> {
    simplify_within(filter, LEVELS_MAX)
}

fn conjuncts_within(filter: &Expression, levels: usize) -> Vec<Expression> {
    let mut parts = Vec::new();
    collect(filter, &mut parts, levels);
    if let Some(never) = parts.iter().find(|part| is_never(part)) {
        return vec![never.clone()];
    }
    parts
}

fn simplify_within(filter: &Expression, levels: usize) -> Option<Expression> {
    let mut parts = conjuncts_within(filter, levels).into_iter();
    let first = parts.next()?;
    let rest: Vec<(BinaryOperator, Expression)> =
        parts.map(|part| (BinaryOperator::And, part)).collect();
    if rest.is_empty() {
        return Some(first);
    }
    Some(Expression::Chain { first: Box::new(first), rest })
}

fn collect(filter: &Expression, parts: &mut Vec<Expression>, levels: usize) {
    let Some(below) = levels.checked_sub(1) else {
        parts.push(filter.clone());
        return;
    };
    match (filter, chain_precedence(filter)) {
        (Expression::Chain { first, rest }, Some(Precedence::And)) => {
            collect(first, parts, below);
            for (_, operand) in rest {
                collect(operand, parts, below);
            }
        }
        (Expression::Chain { first, rest }, Some(Precedence::Or)) => {
            parts.extend(disjunction(first, rest, below));
        }
        _ if is_always(filter) => {}
        _ => parts.push(filter.clone()),
    }
}

/// An OR without the operands that are never true; `None` if one of them always is.
fn disjunction(
    first: &Expression,
    rest: &[(BinaryOperator, Expression)],
    levels: usize,
) -> Option<Expression> {
    let operands = || std::iter::once(first).chain(rest.iter().map(|(_, operand)| operand));
    let mut branches = Vec::new();
    for operand in operands() {
        match simplify_within(operand, levels) {
            // One operand is always true, and so is the OR.
            None => return None,
            Some(branch) if is_never(&branch) => {}
            Some(branch) => branches.push(branch),
        }
    }
    let mut branches = branches.into_iter();
    let Some(first) = branches.next() else {
        return Some(Expression::Literal(crate::ast::Literal::Bool(false)));
    };
    let rest: Vec<_> = branches.map(|branch| (BinaryOperator::Or, branch)).collect();
    if rest.is_empty() {
        return Some(first);
    }
    Some(Expression::Chain { first: Box::new(first), rest })
}

fn chain_precedence(expression: &Expression) -> Option<Precedence> {
    match expression {
        Expression::Chain { rest, .. } => rest.first().map(|(operator, _)| operator.precedence()),
        _ => None,
    }
}

fn is_always(expression: &Expression) -> bool {
    constant(expression).is_some_and(|value| value.as_bool() == Some(true))
}

fn is_never(expression: &Expression) -> bool {
    // In a filter, undefined and values that are not Boolean reject a row just like false.
    constant(expression).is_some_and(|value| value.as_bool() != Some(true))
}
