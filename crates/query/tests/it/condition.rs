//! Random conditions with a naive evaluator.
//!
//! The naive evaluator shares no code with the real one: it looks properties up in the stored item and follows the
//! truth tables of the language.

use std::cmp::Ordering;

use model::Json;
use proptest::prelude::*;

use super::query_text;

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Compare(Operand, &'static str, Operand),
    Constant(&'static str),
    Property(&'static str),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Property(&'static str),
    Constant(Json),
    Undefined,
}

const OPERATORS: &[&str] = &["=", "!=", "<", "<=", ">", ">="];

pub(crate) fn condition() -> impl Strategy<Value = Condition> {
    let name = || prop::sample::select(vec!["a", "b", "nope"]);
    let operand = move || {
        prop_oneof![
            4 => name().prop_map(Operand::Property),
            3 => query_text::value().prop_map(Operand::Constant),
            1 => Just(Operand::Undefined),
        ]
    };
    let leaf = prop_oneof![
        6 => (operand(), prop::sample::select(OPERATORS), operand())
            .prop_map(|(left, operator, right)| Condition::Compare(left, operator, right)),
        1 => prop::sample::select(vec!["true", "false", "undefined", "1", "\"true\"", "null"])
            .prop_map(Condition::Constant),
        1 => name().prop_map(Condition::Property),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Condition::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 2..5).prop_map(Condition::And),
            prop::collection::vec(inner, 2..5).prop_map(Condition::Or),
        ]
    })
}

impl Condition {
    pub(crate) fn text(&self) -> String {
        let joined = |parts: &[Self], word: &str| {
            let parts: Vec<String> = parts.iter().map(Self::text).collect();
            format!("({})", parts.join(word))
        };
        match self {
            Self::Compare(left, operator, right) => {
                format!("({} {operator} {})", left.text(), right.text())
            }
            Self::Constant(text) => (*text).to_owned(),
            Self::Property(name) => format!("c.{name}"),
            Self::Not(inner) => format!("(NOT {})", inner.text()),
            Self::And(parts) => joined(parts, " AND "),
            Self::Or(parts) => joined(parts, " OR "),
        }
    }

    pub(crate) fn truth(&self, item: &Json) -> Option<bool> {
        match self {
            Self::Compare(left, operator, right) => {
                compare(left.value(item)?, operator, right.value(item)?)
            }
            Self::Constant("true") => Some(true),
            Self::Constant("false") => Some(false),
            Self::Constant(_) => None,
            Self::Property(name) => item.get(name).and_then(Json::as_bool),
            Self::Not(inner) => inner.truth(item).map(|truth| !truth),
            Self::And(parts) => all(parts.iter().map(|part| part.truth(item)), false),
            Self::Or(parts) => all(parts.iter().map(|part| part.truth(item)), true),
        }
    }
}

impl Operand {
    fn text(&self) -> String {
        match self {
            Self::Property(name) => format!("c.{name}"),
            Self::Constant(value) => value.to_string(),
            Self::Undefined => "undefined".to_owned(),
        }
    }

    fn value<'item>(&'item self, item: &'item Json) -> Option<&'item Json> {
        match self {
            Self::Property(name) => item.get(name),
            Self::Constant(value) => Some(value),
            Self::Undefined => None,
        }
    }
}

/// The deciding result if there is one, otherwise undefined if there is one, otherwise the other result.
fn all(truths: impl Iterator<Item = Option<bool>>, deciding: bool) -> Option<bool> {
    let truths: Vec<Option<bool>> = truths.collect();
    if truths.contains(&Some(deciding)) {
        return Some(deciding);
    }
    (!truths.contains(&None)).then_some(!deciding)
}

fn compare(left: &Json, operator: &str, right: &Json) -> Option<bool> {
    match operator {
        "=" => return Some(left == right),
        "!=" => return Some(left != right),
        _ => {}
    }
    let order = match (left, right) {
        (Json::Null, Json::Null)
        | (Json::Bool(_), Json::Bool(_))
        | (Json::Number(_), Json::Number(_))
        | (Json::String(_), Json::String(_)) => model::compare(Some(left), Some(right)),
        _ => return None,
    };
    Some(match operator {
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}
