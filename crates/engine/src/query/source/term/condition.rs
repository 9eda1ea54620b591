//! Conditions whose terms are scanned, and how to check them against an item.
//!
//! An item with several matching terms must be returned once. Which term returns it is decided from the item alone, so
//! nothing has to be remembered between pages.

use std::sync::Arc;

use ::query::plan::access::CompositeLookup;
use ::query::plan::condition::{ItemPath, PathCondition};
use ::query::value::Value;
use ::query::{EvaluationContext, PreparedExpression};
use model::{IndexPathSegment, Json};

use super::value_bytes::encode_value;
use crate::error::Result;
use crate::record::ItemRecord;

/// A condition whose terms are scanned.
#[derive(Clone)]
pub(in crate::query::source) struct TermCondition {
    pub(in crate::query::source) kind: ConditionKind,
    /// An expression that a value must satisfy in addition.
    pub(in crate::query::source) test: Option<Arc<(PreparedExpression, EvaluationContext)>>,
}

/// Which terms a condition scans.
#[derive(Clone)]
pub(in crate::query::source) enum ConditionKind {
    Path(PathCondition),
    Composite { lookup: CompositeLookup, paths: Vec<Vec<IndexPathSegment>> },
}

impl TermCondition {
    /// Whether a value passes the test. If it cannot be evaluated here, it passes, and the filter
    /// decides on the item.
    pub(in crate::query::source) fn passes(&self, value: &Json) -> bool {
        let Some(test) = &self.test else { return true };
        let (expression, context) = test.as_ref();
        match expression.evaluate(&[Value::from(value)], context) {
            Ok(result) => result.as_bool() == Some(true),
            // An error belongs to the item and must surface only if the item is really evaluated.
            Err(_) => true,
        }
    }

    /// Whether several terms can lead to the same item.
    pub(in crate::query::source) fn is_multi_valued(&self) -> bool {
        match &self.kind {
            ConditionKind::Path(condition) => condition.is_over_elements(),
            ConditionKind::Composite { paths, .. } => {
                paths.iter().any(|path| path.contains(&IndexPathSegment::AnyElement))
            }
        }
    }

    /// Whether an item satisfies the condition.
    pub(in crate::query::source) fn matches(&self, item: &Json) -> bool {
        match &self.kind {
            ConditionKind::Path(condition) => {
                let found = values_at(item, &condition.path);
                if found.is_empty() {
                    return condition.values.undefined;
                }
                found.iter().any(|value| self.allows(condition, value))
            }
            ConditionKind::Composite { lookup, paths } => {
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

    /// Whether this value is the smallest of an item's matching values.
    pub(in crate::query::source) fn is_first_term(&self, item: &Json, value: &[u8]) -> bool {
        let ConditionKind::Path(condition) = &self.kind else { return true };
        let found = values_at(item, &condition.path);
        let allowed = found.into_iter().filter(|value| self.allows(condition, value));
        // In the order of the bytes, because that is the order in which terms are read.
        allowed.map(|value| encode_value(Some(value))).min().is_some_and(|first| first == value)
    }

    fn allows(&self, condition: &PathCondition, value: &Json) -> bool {
        condition.values.contains(Some(value)) && self.passes(value)
    }
}

/// Parses only the properties of an item that some paths start with.
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

/// The values at a path; several if it leads through arrays.
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
