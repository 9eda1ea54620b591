//! Aggregates and groups.
//!
//! Owns what a partition gives of an aggregate: enough to put the parts together. An average is a sum and a count, an
//! extreme comes with the count that tells an empty partition from an undefined one.

use super::build::{aggregate, array, call, column, items, object, without_counts};
use super::info::{AggregateKind, DistinctKind, QueryInfo};
use super::plain::has_select_value;
use crate::ast::{Query, Scalar, ScalarKind, Selection};
use crate::bind::BoundQuery;
use crate::error::QueryError;
use crate::printer::{print, print_scalar};

const COMPOSITION: &str = "Compositions of aggregates and other expressions are not allowed.";

pub(super) fn info(tree: &Query, bound: &BoundQuery) -> Result<QueryInfo, QueryError> {
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

/// What a partition gives for one group.
fn payload(tree: &Query, bound: &BoundQuery, info: &mut QueryInfo) -> Result<Scalar, QueryError> {
    match &tree.select.selection {
        // The binder refuses it beside groups.
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

/// What a partition gives for an aggregate; none for an expression without one.
fn part(expression: &Scalar) -> Result<Option<(AggregateKind, Scalar)>, QueryError> {
    let Some((spelling, name, argument)) = aggregate(expression) else {
        return if holds_aggregate(expression) {
            Err(QueryError::refusal(COMPOSITION))
        } else {
            Ok(None)
        };
    };
    let Some(kind) = AggregateKind::from_function(name) else {
        return Ok(None);
    };
    let of = |function: &str| call(function, vec![argument.clone()]);
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

/// Whether an aggregate stands somewhere inside an expression. Subqueries have aggregates of their own.
fn holds_aggregate(expression: &Scalar) -> bool {
    aggregate(expression).is_some() || parts(expression).into_iter().any(holds_aggregate)
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
