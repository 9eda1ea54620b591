//! What a walk over terms finds, asked of an item.
//!
//! Owns the question whether an item is among the terms of a condition, and under which value it comes first: an item
//! that several terms lead to is given at one of them only, decided from the item alone, so that nothing need be
//! remembered between pages.

use std::sync::Arc;

use ::query::plan::access::CompositeLookup;
use ::query::plan::condition::{ItemPath, PathCondition};
use ::query::value::Value;
use ::query::{EvaluationContext, PreparedExpression};
use model::{IndexPathSegment, Json};

use super::value_bytes::encoded;
use crate::error::Result;
use crate::item::ItemRecord;

/// A condition whose terms are walked.
#[derive(Clone)]
pub(in crate::query::source) struct Walked {
    pub(in crate::query::source) condition: WalkedCondition,
    /// What a value must pass besides.
    pub(in crate::query::source) test: Option<Arc<(PreparedExpression, EvaluationContext)>>,
}

/// What the terms are of.
#[derive(Clone)]
pub(in crate::query::source) enum WalkedCondition {
    Path(PathCondition),
    Composite { lookup: CompositeLookup, paths: Vec<Vec<IndexPathSegment>> },
}

impl Walked {
    /// Whether a value passes the test; one that cannot be tested here is tested on its item.
    pub(in crate::query::source) fn passes(&self, value: &Json) -> bool {
        let Some(test) = &self.test else { return true };
        let (expression, context) = test.as_ref();
        match expression.evaluate(&[Value::from(value)], context) {
            Ok(answer) => answer.as_bool() == Some(true),
            Err(_) => true,
        }
    }

    /// Whether the item can be reached by more than one term.
    pub(in crate::query::source) fn is_over_elements(&self) -> bool {
        match &self.condition {
            WalkedCondition::Path(condition) => condition.is_over_elements(),
            WalkedCondition::Composite { paths, .. } => {
                paths.iter().any(|path| path.contains(&IndexPathSegment::AnyElement))
            }
        }
    }

    /// Whether an item is among the terms.
    pub(in crate::query::source) fn matches(&self, item: &Json) -> bool {
        match &self.condition {
            WalkedCondition::Path(condition) => {
                let found = values_at(item, &condition.path);
                if found.is_empty() {
                    return condition.values.undefined;
                }
                found.iter().any(|value| self.allows(condition, value))
            }
            WalkedCondition::Composite { lookup, paths } => {
                let mut paths = paths.iter();
                let equal = lookup
                    .equal
                    .iter()
                    .zip(paths.by_ref())
                    .all(|(wanted, path)| values_at(item, path).contains(&wanted));
                let next = match (&lookup.next, paths.next()) {
                    (Some(wanted), Some(path)) => {
                        values_at(item, path).iter().any(|value| wanted.contains(Some(value)))
                    }
                    _ => true,
                };
                equal && next
            }
        }
    }

    /// Whether this is the first of an item's terms, in the order of values.
    pub(in crate::query::source) fn is_first_term(&self, item: &Json, value: &[u8]) -> bool {
        let WalkedCondition::Path(condition) = &self.condition else { return true };
        let found = values_at(item, &condition.path);
        let allowed = found.into_iter().filter(|value| self.allows(condition, value));
        allowed.map(|value| encoded(Some(value))).min().is_some_and(|first| first == value)
    }

    fn allows(&self, condition: &PathCondition, value: &Json) -> bool {
        condition.values.contains(Some(value)) && self.passes(value)
    }
}

/// An item as far as some paths lead into it.
pub(in crate::query::source) fn parse_paths(
    record: &ItemRecord,
    paths: &[(ItemPath, bool)],
) -> Result<Json> {
    record.parse_properties(|name| {
        let mut first = paths.iter().filter_map(|(path, _)| path.first());
        first.any(|segment| match segment {
            IndexPathSegment::Property(wanted) => wanted.as_bytes() == name,
            IndexPathSegment::AnyElement => false,
        })
    })
}

/// The values a path leads to.
pub(in crate::query::source) fn values_at<'item>(
    item: &'item Json,
    path: &[IndexPathSegment],
) -> Vec<&'item Json> {
    let mut found = vec![item];
    for segment in path {
        found = match segment {
            IndexPathSegment::Property(name) => {
                found.into_iter().filter_map(|value| value.get(name)).collect()
            }
            IndexPathSegment::AnyElement => {
                found.into_iter().filter_map(Json::as_array).flatten().collect()
            }
        };
    }
    found
}
