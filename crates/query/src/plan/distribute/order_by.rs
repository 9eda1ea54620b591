//! Ordered queries.
//!
//! Owns the envelope of ordered rows: the resource id, the values by which rows are merged, and the row itself. An
//! undefined value is not a row, so `SELECT VALUE` adds an IS_DEFINED condition.

use model::{DistanceFunction, Json, PropertyPath, VectorEmbeddingPolicy};

use super::build::{
    FILTER_PLACEHOLDER, and, call, column, first_alias, first_rows, identifier, items, payload,
    resource_id, top, without_counts,
};
use super::info::{DistinctKind, QueryInfo};
use super::plain::has_select_value;
use crate::ast::{OrderBy, OrderItem, QueryTree, Scalar, SelectItem, Selection, SortOrder};
use crate::bind::{BoundOrderBy, BoundQuery, Expression, OrderKey, PathStep};
use crate::evaluate::constant;
use crate::printer::{print, print_scalar};
use crate::value::Value;

pub(super) fn info(
    tree: &QueryTree,
    bound: &BoundQuery,
    vectors: Option<&VectorEmbeddingPolicy>,
) -> QueryInfo {
    let (Some(OrderBy::Items(list, _)), BoundOrderBy::Keys(keys)) =
        (&tree.order_by, &bound.order_by)
    else {
        return QueryInfo::plain(has_select_value(tree));
    };
    let mut info = QueryInfo::plain(has_select_value(tree));
    info.top = bound.top;
    info.offset = bound.offset;
    info.limit = bound.limit;
    info.order_by = keys.iter().map(|key| direction(key, vectors)).collect();
    info.order_by_expressions = list.iter().map(|item| print_scalar(&item.expression)).collect();
    info.has_non_streaming_order_by = keys.iter().any(is_score);
    if tree.select.distinct {
        info.distinct = distinct(&tree.select.selection, list);
    }
    info.rewritten_query = print(&envelope(tree, bound, list));
    info
}

fn envelope(tree: &QueryTree, bound: &BoundQuery, list: &[OrderItem]) -> QueryTree {
    let mut query = without_counts(tree);
    // DISTINCT applies to the payloads of the merged rows, not to the envelopes.
    query.select.distinct = false;
    // An envelope is one row per item. With DISTINCT the first n of them may all have the same payload, so a partition
    // must not count them: the client counts after it has removed the duplicates.
    if !tree.select.distinct {
        query.select.top = bound.top.map(top);
        // Rows that the merged result skips may all come from this partition, so it must return offset + limit rows.
        if let (Some(offset), Some(limit)) = (bound.offset, bound.limit) {
            query.offset_limit = Some(first_rows(offset.saturating_add(limit)));
        }
    }
    query.select.selection = Selection::List(vec![
        column(resource_id(first_alias(bound)), None),
        column(items(list.iter().map(|item| item.expression.clone())), Some("orderByItems")),
        column(payload(tree, bound), Some("payload")),
    ]);
    let mut filter = and(query.filter.take(), identifier(FILTER_PLACEHOLDER));
    if let Selection::Value(expression) = &tree.select.selection {
        filter = and(Some(filter), call("IS_DEFINED", vec![expression.as_ref().clone()]));
    }
    query.filter = Some(filter);
    query
}

/// The text of a query that a client sends for the ordered rows of a partition, without its filter; `None` for any
/// other query. A client that resumes such a query replaces the placeholder in the filter by a condition of its own.
#[must_use]
pub fn ordered_rows_text(tree: &QueryTree) -> Option<String> {
    let (Some(OrderBy::Items(..)), Selection::List(list)) =
        (&tree.order_by, &tree.select.selection)
    else {
        return None;
    };
    let [rid, order, payload] = list.as_slice() else { return None };
    let has_alias =
        |item: &SelectItem, name: &str| item.alias.as_ref().is_some_and(|alias| alias.text == name);
    let is_envelope = rid.alias.is_none()
        && print_scalar(&rid.expression).ends_with("._rid")
        && has_alias(order, "orderByItems")
        && has_alias(payload, "payload");
    if !is_envelope {
        return None;
    }
    let mut query = tree.clone();
    query.filter = None;
    Some(print(&query))
}

/// Duplicates are adjacent if rows are ordered by exactly the selected expressions.
fn distinct(selection: &Selection, list: &[OrderItem]) -> DistinctKind {
    let selected: Vec<&Scalar> = match selection {
        Selection::Star(_) => Vec::new(),
        Selection::Value(expression) => vec![expression],
        Selection::List(items) => items.iter().map(|item| &item.expression).collect(),
    };
    let ordered = list.iter().map(|item| print_scalar(&item.expression));
    let selected = selected.into_iter().map(print_scalar);
    if ordered.eq(selected) { DistinctKind::Ordered } else { DistinctKind::Unordered }
}

/// The sort direction of a key; without a written one, a distance is sorted nearest first.
fn direction(key: &OrderKey, vectors: Option<&VectorEmbeddingPolicy>) -> SortOrder {
    match key.order {
        Some(order) => order,
        None if is_score(key) => nearest_first(&key.expression, vectors),
        None => SortOrder::Ascending,
    }
}

/// Whether a key is a score, which a partition can sort only after it has read all items.
fn is_score(key: &OrderKey) -> bool {
    key.path.is_none() && !key.is_computed
}

/// The direction that sorts a score best first: small distances, but great similarities.
pub(super) fn nearest_first(
    score: &Expression,
    vectors: Option<&VectorEmbeddingPolicy>,
) -> SortOrder {
    let Expression::Call { function, arguments } = score else {
        return SortOrder::Ascending;
    };
    let is_distance =
        ["VectorDistance", "_VectorScore"].iter().any(|name| name.eq_ignore_ascii_case(function));
    if is_distance && distance_function(arguments, vectors) == DistanceFunction::Euclidean {
        SortOrder::Ascending
    } else {
        SortOrder::Descending
    }
}

/// The distance function of a call: from its options, from the policy of one of its paths, or the default.
fn distance_function(
    arguments: &[Expression],
    vectors: Option<&VectorEmbeddingPolicy>,
) -> DistanceFunction {
    let options = arguments.get(3).and_then(constant);
    let named = options.as_ref().map(|options| options.property("distanceFunction"));
    if let Some(named) = named.as_ref().and_then(Value::as_str) {
        let known = [
            ("cosine", DistanceFunction::Cosine),
            ("dotproduct", DistanceFunction::DotProduct),
            ("euclidean", DistanceFunction::Euclidean),
        ];
        if let Some((_, function)) =
            known.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(named))
        {
            return function;
        }
    }
    let paths = arguments.iter().take(2).filter_map(property_path);
    let embeddings = paths.filter_map(|path| vectors?.embedding(&path));
    embeddings.map(|one| one.distance_function).next().unwrap_or(DistanceFunction::Cosine)
}

fn property_path(expression: &Expression) -> Option<PropertyPath> {
    let Expression::Member { target, steps } = expression else {
        return None;
    };
    let Expression::Input(_) = target.as_ref() else {
        return None;
    };
    let names: Option<Vec<String>> = steps
        .iter()
        .map(|step| match step {
            PathStep::Property(name) => Some(name.clone()),
            PathStep::Index(_) | PathStep::Nowhere => None,
        })
        .collect();
    PropertyPath::from_segments(names?)
}

/// A weight as JSON.
pub(super) fn number_json(value: f64) -> Json {
    model::Number::from_f64(value).map_or(Json::Null, Json::Number)
}
