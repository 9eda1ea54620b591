//! Indexes for ORDER BY.
//!
//! Owns the rules: one path needs its terms; several need a composite index of exactly these paths, in this sequence
//! and in these directions or in all of them reversed. An order that no index provides is rejected, except for scores,
//! which are computed, and groups, which are few.

use model::{CompositeOrder, IndexPathSegment, Json};

use super::policy::{Indexes, is_without_terms};
use crate::ast::SortOrder;
use crate::bind::{BoundOrderBy, BoundQuery, Grouping, OrderKey, PathStep};
use crate::error::QueryError;
use crate::plan::condition::{Condition, ItemPath, ValueSet};

/// How the rows of a query are ordered.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderAccess {
    /// No order: items come in the order of their creation.
    Unordered,
    /// The terms of a path are read in order. Items without a value come first, or last if reversed.
    Path {
        /// The path.
        path: ItemPath,
        /// Whether the terms are read backwards.
        is_reversed: bool,
        /// The values that the filter allows there.
        values: ValueSet,
    },
    /// The terms of a composite index are read in order.
    Composite {
        /// The number of the index in the policy.
        index: usize,
        /// Whether the terms are read backwards.
        is_reversed: bool,
        /// The values of its first paths, fixed by the filter.
        equal: Vec<Json>,
        /// The values that the filter allows at the next path.
        next: ValueSet,
        /// Whether the two fields above cover everything that the filter requires of the paths of the index.
        serves_filter: bool,
    },
    /// Rows are computed first and then sorted.
    Sorted,
}

impl OrderAccess {
    /// Whether an index is read backwards. Items with equal values then come in the reverse order of their creation.
    #[must_use]
    pub fn is_reversed(&self) -> bool {
        match self {
            Self::Path { is_reversed, .. } | Self::Composite { is_reversed, .. } => *is_reversed,
            Self::Unordered | Self::Sorted => false,
        }
    }
}

pub(super) fn order(
    query: &BoundQuery,
    condition: &Condition,
    indexes: &Indexes,
) -> Result<OrderAccess, QueryError> {
    let keys = match &query.order_by {
        BoundOrderBy::None => return Ok(OrderAccess::Unordered),
        BoundOrderBy::Rank(_) => return Ok(OrderAccess::Sorted),
        BoundOrderBy::Keys(keys) => keys,
    };
    if query.grouping != Grouping::None {
        return Ok(OrderAccess::Sorted);
    }
    // One key that is computed makes all of them: rows are sorted after they are computed.
    let Some(paths) = keys.iter().map(key_path).collect::<Option<Vec<ItemPath>>>() else {
        return Ok(OrderAccess::Sorted);
    };
    match paths.as_slice() {
        // These system properties have no terms, but ordering by them is allowed: the rows are sorted.
        [path] if is_without_terms(path) => Ok(OrderAccess::Sorted),
        [path] if indexes.covers(path) => Ok(OrderAccess::Path {
            path: path.clone(),
            is_reversed: keys.first().and_then(|key| key.order) == Some(SortOrder::Descending),
            values: condition.implied(path),
        }),
        [_] => Err(QueryError::refusal(
            "The index path corresponding to the specified order-by item is excluded.",
        )),
        _ => composite(&paths, keys, condition, indexes),
    }
}

/// The path of an ORDER BY key; `None` for a score and for an array index, which terms do not contain.
fn key_path(key: &OrderKey) -> Option<ItemPath> {
    let steps = key.path.as_ref()?;
    steps
        .iter()
        .map(|step| match step {
            PathStep::Property(name) => Some(IndexPathSegment::Property(name.clone())),
            PathStep::Index(_) | PathStep::Nowhere => None,
        })
        .collect()
}

fn composite(
    paths: &[ItemPath],
    keys: &[OrderKey],
    condition: &Condition,
    indexes: &Indexes,
) -> Result<OrderAccess, QueryError> {
    let is_descending = |key: &OrderKey| key.order == Some(SortOrder::Descending);
    for (index, composite) in indexes.composites().iter().enumerate() {
        let same_paths = composite
            .paths
            .iter()
            .map(|part| part.path.segments())
            .eq(paths.iter().map(Vec::as_slice));
        if !same_paths {
            continue;
        }
        let reversed =
            composite.paths.iter().zip(keys).map(|(part, key)| {
                (part.order == CompositeOrder::Descending) != is_descending(key)
            });
        let reversed: Vec<bool> = reversed.collect();
        // All or none: an index can be read backwards only as a whole.
        let is_reversed = reversed.iter().all(|reversed| *reversed);
        if is_reversed || reversed.iter().all(|reversed| !*reversed) {
            return Ok(bounded(index, is_reversed, paths, condition));
        }
    }
    Err(QueryError::refusal(
        "The order by query does not have a corresponding composite index that it can be served from.",
    ))
}

/// The part of an index that a filter allows: equalities first, then a condition on one more path.
fn bounded(
    index: usize,
    is_reversed: bool,
    paths: &[ItemPath],
    condition: &Condition,
) -> OrderAccess {
    let mut equal = Vec::new();
    let mut rest = paths.iter().map(|path| condition.implied(path));
    let mut next = ValueSet::all();
    for values in rest.by_ref() {
        match values.as_point() {
            Some(value) => equal.push(value.clone()),
            None => {
                next = values;
                break;
            }
        }
    }
    // Conditions on paths behind the range cannot narrow the terms any further.
    let serves_filter = rest.all(|values| values.is_all());
    OrderAccess::Composite { index, is_reversed, equal, next, serves_filter }
}
