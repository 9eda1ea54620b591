//! When two expressions are equivalent.
//!
//! Owns the comparison between a select list and GROUP BY. Spelling does not matter (`c.a` and `c["a"]`, `UPPER` and
//! `upper` are equivalent), and no algebra is applied (`a + b` and `b + a` are not).

use crate::ast::{MemberStep, Scalar, ScalarKind};

pub(super) fn is_equivalent(left: &Scalar, right: &Scalar) -> bool {
    match (&left.kind, &right.kind) {
        (ScalarKind::Member(left), ScalarKind::Member(right)) => {
            is_equivalent(&left.target, &right.target)
                && left.steps.len() == right.steps.len()
                && left
                    .steps
                    .iter()
                    .zip(&right.steps)
                    .all(|(left, right)| is_equivalent_step(left, right))
        }
        (
            ScalarKind::Call { function: left_name, arguments: left },
            ScalarKind::Call { function: right_name, arguments: right },
        ) => left_name.text.eq_ignore_ascii_case(&right_name.text) && are_equivalent(left, right),
        (
            ScalarKind::UdfCall { function: left_name, arguments: left },
            ScalarKind::UdfCall { function: right_name, arguments: right },
        ) => left_name == right_name && are_equivalent(left, right),
        (
            ScalarKind::Unary { operator: left_operator, operand: left },
            ScalarKind::Unary { operator: right_operator, operand: right },
        ) => left_operator == right_operator && is_equivalent(left, right),
        (
            ScalarKind::Chain { first: left_first, rest: left },
            ScalarKind::Chain { first: right_first, rest: right },
        ) => {
            is_equivalent(left_first, right_first)
                && left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| left.0 == right.0 && is_equivalent(&left.1, &right.1))
        }
        (ScalarKind::Coalesce(left), ScalarKind::Coalesce(right))
        | (ScalarKind::Array(left), ScalarKind::Array(right)) => are_equivalent(left, right),
        (ScalarKind::Object(left), ScalarKind::Object(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| {
                    left.name == right.name && is_equivalent(&left.value, &right.value)
                })
        }
        // Locations do not count: `Span` compares as equal always.
        (left, right) => left == right,
    }
}

fn are_equivalent(left: &[Scalar], right: &[Scalar]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(left, right)| is_equivalent(left, right))
}

fn is_equivalent_step(left: &MemberStep, right: &MemberStep) -> bool {
    match (left.property(), right.property()) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left == right,
        _ => false,
    }
}
