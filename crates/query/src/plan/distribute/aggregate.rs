//! Aggregates and groups.
//!
//! Owns what a partition returns for an aggregate: enough to merge the partial results. An average is a sum and a
//! count. A minimum or maximum comes with a count, which distinguishes a partition without values from one with an
//! undefined result.

use super::build::{aggregate, array, call, column, items, object, without_counts};
use super::info::{AggregateKind, DistinctKind, QueryInfo};
use super::plain::has_select_value;
use crate::ast::{QueryTree, Scalar, ScalarKind, Selection};
use crate::bind::BoundQuery;
use crate::error::QueryError;
use crate::printer::{print, print_scalar};

const COMPOSITION: &str = "Compositions of aggregates and other expressions are not allowed.";

pub(super) fn info(tree: &QueryTree, bound: &BoundQuery) -> Result<QueryInfo, QueryError> {
    let mut info = QueryInfo::plain(has_select_value(tree));
    info.top = bound.top;
    info.offset = bound.offset;
    info.limit = bound.limit;
    if tree.select.distinct {
        info.distinct = DistinctKind::Unordered;
    }
    info.group_by_expressions = tree.group_by.iter().map(print_scalar).collect();
    let payload = payload(tree, bound, &mut info)?;
    let mut query = without_counts(tree);
    // DISTINCT applies to the merged groups: a partition must return all of them.
    query.select.distinct = false;
    query.select.selection = match (tree.group_by.is_empty(), has_select_value(tree)) {
        (true, true) => Selection::Value(Box::new(payload)),
        (true, false) => Selection::List(vec![column(payload, Some("payload"))]),
        (false, _) => Selection::List(vec![
            column(items(tree.group_by.iter().cloned()), Some("groupByItems")),
            column(payload, Some("payload")),
        ]),
    };
    info.rewritten_query = print(&query);
    Ok(info)
}

/// What a partition returns for one group.
fn payload(
    tree: &QueryTree,
    bound: &BoundQuery,
    info: &mut QueryInfo,
) -> Result<Scalar, QueryError> {
    match &tree.select.selection {
        // The binder rejects `*` with groups.
        Selection::Star(_) => Err(QueryError::refusal(COMPOSITION)),
        Selection::Value(expression) => {
            let Some((kind, part)) = part(expression)? else {
                return Ok(expression.as_ref().clone());
            };
            info.aggregates.push(kind);
            Ok(array(vec![part]))
        }
        Selection::List(list) => {
            let mut members = Vec::new();
            for (alias, item) in bound.property_names().zip(list) {
                info.group_by_aliases.push(alias.to_owned());
                let (kind, value) = match part(&item.expression)? {
                    Some((kind, part)) => (Some(kind), part),
                    None => (None, item.expression.clone()),
                };
                info.aliased_aggregates.push((alias.to_owned(), kind));
                members.push((alias, value));
            }
            Ok(object(members))
        }
    }
}

/// What a partition returns for an aggregate; `None` for an expression without one.
fn part(expression: &Scalar) -> Result<Option<(AggregateKind, Scalar)>, QueryError> {
    let Some((spelling, name, argument)) = aggregate(expression) else {
        return if contains_aggregate(expression) {
            Err(QueryError::refusal(COMPOSITION))
        } else {
            Ok(None)
        };
    };
    let Some(kind) = AggregateKind::from_function(name) else {
        return Ok(None);
    };
    // The function keeps the user's spelling, as everywhere in printed queries.
    let of = |function: &str| call(function, vec![argument.clone()]);
    // The names `item`, `item2`, `min`, `max`, `sum` and `count` are those that clients look for.
    let with_count = |label| object([(label, of(spelling)), ("count", of("COUNT"))]);
    let members = match kind {
        AggregateKind::Average => {
            vec![("item", object([("sum", of("SUM")), ("count", of("COUNT"))]))]
        }
        AggregateKind::Min => vec![("item", of(spelling)), ("item2", with_count("min"))],
        AggregateKind::Max => vec![("item", of(spelling)), ("item2", with_count("max"))],
        _ => vec![("item", of(spelling))],
    };
    Ok(Some((kind, object(members))))
}

/// Whether an expression contains an aggregate. Subqueries have aggregates of their own.
fn contains_aggregate(expression: &Scalar) -> bool {
    aggregate(expression).is_some() || parts(expression).into_iter().any(contains_aggregate)
}

fn parts(expression: &Scalar) -> Vec<&Scalar> {
    match &expression.kind {
        ScalarKind::Literal(_)
        | ScalarKind::Parameter(_)
        | ScalarKind::Identifier(_)
        | ScalarKind::Subquery { .. } => Vec::new(),
        ScalarKind::Member(member) => vec![&member.target],
        ScalarKind::Unary { operand, .. } => vec![operand],
        ScalarKind::Chain { first, rest } => {
            std::iter::once(first.as_ref()).chain(rest.iter().map(|(_, right)| right)).collect()
        }
        ScalarKind::Coalesce(list) | ScalarKind::Array(list) => list.iter().collect(),
        ScalarKind::Conditional { branches, otherwise } => branches
            .iter()
            .flat_map(|branch| [&branch.condition, &branch.value])
            .chain(std::iter::once(otherwise.as_ref()))
            .collect(),
        ScalarKind::Between { value, low, high, .. } => vec![value, low, high],
        ScalarKind::In { value, list, .. } => std::iter::once(value.as_ref()).chain(list).collect(),
        ScalarKind::Like { value, pattern, .. } => vec![value, pattern],
        ScalarKind::Object(members) => members.iter().map(|member| &member.value).collect(),
        ScalarKind::Call { arguments, .. } | ScalarKind::UdfCall { arguments, .. } => {
            arguments.iter().collect()
        }
    }
}
