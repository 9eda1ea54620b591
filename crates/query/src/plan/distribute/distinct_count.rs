//! The number of distinct rows.
//!
//! Owns `SELECT VALUE COUNT(1) FROM (SELECT DISTINCT ...)`: partitions return their distinct rows, and the client
//! removes duplicates and counts the rest. The service's text for partitions was never recorded; ours is the inner
//! query.

use super::build::aggregate;
use super::info::{AggregateKind, DistinctKind, QueryInfo};
use super::plain::has_select_value;
use crate::ast::{Literal, QueryTree, Scalar, ScalarKind, Selection, SourceForm, SourceRoot};
use crate::bind::BoundQuery;
use crate::printer::print;

/// The query info of such a query; `None` for any other.
pub(super) fn info(tree: &QueryTree, bound: &BoundQuery) -> Option<QueryInfo> {
    let is_bare = tree.filter.is_none()
        && tree.group_by.is_empty()
        && tree.order_by.is_none()
        && tree.offset_limit.is_none()
        && tree.select.top.is_none()
        && !tree.select.distinct;
    let counted = match &tree.select.selection {
        Selection::Value(expression) => expression.as_ref(),
        Selection::List(items) => match items.as_slice() {
            [only] => &only.expression,
            _ => return None,
        },
        Selection::Star(_) => return None,
    };
    if !is_bare || !is_count_of_rows(counted) {
        return None;
    }
    let inner = inner(tree)?;
    let mut info = QueryInfo::plain(has_select_value(tree));
    info.distinct = DistinctKind::Unordered;
    info.distinct_count_alias = Some(bound.property_names().next().unwrap_or_default().to_owned());
    info.rewritten_query = print(inner);
    Some(info)
}

/// `COUNT(1)`, or of any constant that is defined.
fn is_count_of_rows(expression: &Scalar) -> bool {
    let Some((_, name, argument)) = aggregate(expression) else {
        return false;
    };
    let is_defined = matches!(
        &argument.kind,
        ScalarKind::Literal(literal) if *literal != Literal::Undefined
    );
    AggregateKind::from_function(name) == Some(AggregateKind::Count) && is_defined
}

/// The distinct query that is the only input.
fn inner(tree: &QueryTree) -> Option<&QueryTree> {
    let from = tree.from.as_ref()?;
    let is_only = from.joins.is_empty() && from.first.path.steps.is_empty();
    match (&from.first.path.root, &from.first.form) {
        (SourceRoot::Subquery(inner), SourceForm::Value(_))
            if is_only && inner.select.distinct && inner.group_by.is_empty() =>
        {
            Some(inner)
        }
        _ => None,
    }
}
