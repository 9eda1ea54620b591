//! When two expressions are the same.
//!
//! Owns the comparison between a select list and GROUP BY: spelling does not count (`c.a` and `c["a"]`, `UPPER` and
//! `upper` are the same), meaning is not looked into (`a + b` and `b + a` are not).

use crate::ast::{Scalar, ScalarKind, Step};

pub(super) fn same(left: &Scalar, right: &Scalar) -> bool {
    match (&left.kind, &right.kind) {
        (ScalarKind::Member(left), ScalarKind::Member(right)) => {
            same(&left.target, &right.target)
                && left.steps.len() == right.steps.len()
                && left.steps.iter().zip(&right.steps).all(|(left, right)| same_step(left, right))
        }
        (
            ScalarKind::Call { function: left_name, arguments: left },
            ScalarKind::Call { function: right_name, arguments: right },
        ) => left_name.text.eq_ignore_ascii_case(&right_name.text) && all_same(left, right),
        (
            ScalarKind::UdfCall { function: left_name, arguments: left },
            ScalarKind::UdfCall { function: right_name, arguments: right },
        ) => left_name == right_name && all_same(left, right),
        (
            ScalarKind::Unary { operator: left_operator, operand: left },
            ScalarKind::Unary { operator: right_operator, operand: right },
        ) => left_operator == right_operator && same(left, right),
        (
            ScalarKind::Chain { first: left_first, rest: left },
            ScalarKind::Chain { first: right_first, rest: right },
        ) => {
            same(left_first, right_first)
                && left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| left.0 == right.0 && same(&left.1, &right.1))
        }
        (ScalarKind::Coalesce(left), ScalarKind::Coalesce(right))
        | (ScalarKind::Array(left), ScalarKind::Array(right)) => all_same(left, right),
        (ScalarKind::Object(left), ScalarKind::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| left.name == right.name && same(&left.value, &right.value))
        }
        (left, right) => left == right,
    }
}

fn all_same(left: &[Scalar], right: &[Scalar]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
}

fn same_step(left: &Step, right: &Step) -> bool {
    match (left.property(), right.property()) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left == right,
        _ => false,
    }
}
