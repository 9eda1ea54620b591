//! Describing an access plan.
//!
//! Owns the sentences that explain a plan to people: how items are found, what is still checked for each of them, how
//! rows are ordered, what needs no item. Does not own the plan. Long lists are shortened: a reader wants the kind of
//! access.

use model::{CompositeIndex, CompositeOrder, IndexPath, IndexPathSegment, PathEnding};

use super::index_only::IndexOnly;
use super::lookup::{CompositeLookup, Lookup};
use super::order::OrderAccess;
use super::plan::AccessPlan;
use super::policy::Indexes;
use crate::ast::{BinaryOperator, QueryTree, Scalar, ScalarKind};
use crate::bind::BoundQuery;
use crate::evaluate::conjuncts;
use crate::plan::condition::{Cut, PathCondition, ValueKind, ValueRange, ValueSet};
use crate::printer::print_scalar;

/// The largest number of values and ranges that are listed.
const NAMED_MAX: usize = 4;
const INDENT: &str = "  ";

/// Describes a plan, one sentence per line.
#[must_use]
pub fn describe_plan(
    tree: &QueryTree,
    bound: &BoundQuery,
    plan: &AccessPlan,
    indexes: &Indexes,
) -> Vec<String> {
    // With an order from an index, or an index-only result, the items are not read one after the other.
    let is_walked = !matches!(plan.order, OrderAccess::Unordered | OrderAccess::Sorted);
    let is_answer = plan.index_only.is_some() && plan.lookup.is_everything();
    let mut words = match plan.lookup {
        Lookup::Everything if is_walked || is_answer => Vec::new(),
        _ => lookup(&plan.lookup, indexes),
    };
    words.extend(remaining(tree, bound, plan));
    words.extend(order(&plan.order, indexes));
    words.extend(plan.index_only.as_ref().map(index_only));
    words
}

fn lookup(lookup: &Lookup, indexes: &Indexes) -> Vec<String> {
    let joined = |all: &str, parts: &[Lookup]| {
        let parts = parts.iter().flat_map(|part| self::lookup(part, indexes));
        let mut words = vec![all.to_owned()];
        words.extend(parts.map(|part| format!("{INDENT}{part}")));
        words
    };
    match lookup {
        Lookup::Nothing => vec!["no item can satisfy the filter: nothing is read".to_owned()],
        Lookup::Everything => {
            vec!["items are read one after the other: no term finds them".to_owned()]
        }
        Lookup::Path(condition) => vec![path_lookup(condition)],
        Lookup::Composite(lookup) => vec![composite_lookup(lookup, indexes)],
        Lookup::Intersection(parts) => joined("items are in all of these:", parts),
        Lookup::Union(parts) => joined("items are in one of these:", parts),
    }
}

fn path_lookup(condition: &PathCondition) -> String {
    let values = values(&condition.values);
    let test = match condition.test {
        Some(_) => ", each different value tested once",
        None => "",
    };
    format!("items are found by terms of {}: {values}{test}", path(&condition.path))
}

fn composite_lookup(lookup: &CompositeLookup, indexes: &Indexes) -> String {
    let mut bounds: Vec<String> = lookup.equal.iter().map(ToString::to_string).collect();
    bounds.extend(lookup.next.as_ref().map(values));
    let name = indexes.composites().get(lookup.index).map(composite).unwrap_or_default();
    format!("items are found by terms of the composite index {name}: {}", bounds.join(", "))
}

/// The conjuncts of the filter that no term covers, as they were written.
fn remaining(tree: &QueryTree, bound: &BoundQuery, plan: &AccessPlan) -> Vec<String> {
    if plan.remaining.is_empty() {
        return match bound.filter {
            Some(_) => vec!["nothing is left to ask of an item that was found".to_owned()],
            None => Vec::new(),
        };
    }
    let parts = bound.filter.as_ref().map(conjuncts).unwrap_or_default();
    let mut written = Vec::new();
    if let Some(filter) = &tree.filter {
        written_conjuncts(filter, &mut written);
    }
    // Simplification has merged or dropped parts, so texts and expressions no longer correspond one to one.
    if written.len() != parts.len() {
        let count = plan.remaining.len();
        return vec![format!("{count} parts of the filter are asked of each item")];
    }
    parts
        .iter()
        .zip(written)
        .filter(|(part, _)| plan.remaining.contains(part))
        .map(|(_, text)| format!("asked of each item: {text}"))
        .collect()
}

fn written_conjuncts(filter: &Scalar, written: &mut Vec<String>) {
    match &filter.kind {
        ScalarKind::Chain { first, rest }
            if rest.iter().all(|(operator, _)| *operator == BinaryOperator::And) =>
        {
            written_conjuncts(first, written);
            for (_, operand) in rest {
                written_conjuncts(operand, written);
            }
        }
        _ => written.push(print_scalar(filter)),
    }
}

fn order(order: &OrderAccess, indexes: &Indexes) -> Option<String> {
    let direction = |is_reversed: &bool| if *is_reversed { ", backwards" } else { "" };
    match order {
        OrderAccess::Unordered => None,
        OrderAccess::Path { path: ordered, is_reversed, values: left } => Some(format!(
            "rows come in the order of the terms of {}{}: {}",
            path(ordered),
            direction(is_reversed),
            values(left),
        )),
        OrderAccess::Composite { index, is_reversed, equal, next, .. } => {
            let name = indexes.composites().get(*index).map(composite).unwrap_or_default();
            let mut bounds: Vec<String> = equal.iter().map(ToString::to_string).collect();
            bounds.push(values(next));
            let direction = direction(is_reversed);
            let bounds = bounds.join(", ");
            Some(format!(
                "rows come in the order of the composite index {name}{direction}: {bounds}"
            ))
        }
        OrderAccess::Sorted => Some("rows are computed first and sorted then".to_owned()),
    }
}

fn index_only(answer: &IndexOnly) -> String {
    let paths = |list: &[Vec<IndexPathSegment>]| {
        list.iter().map(|one| path(one)).collect::<Vec<_>>().join(", ")
    };
    match answer {
        IndexOnly::Count => "terms are counted: no item need be read".to_owned(),
        IndexOnly::CountOf(one) => {
            format!("terms of {} are counted: no item need be read", path(one))
        }
        IndexOnly::Extreme { path: one, is_greatest } => {
            let which = if *is_greatest { "last" } else { "first" };
            format!("the {which} term of {} is the answer: no item need be read", path(one))
        }
        IndexOnly::Distinct(list) => {
            format!("different terms of {} are the answer: no item need be read", paths(list))
        }
        IndexOnly::Groups(list) => {
            format!("groups follow from terms of {}: no item need be read", paths(list))
        }
        IndexOnly::Values(list) => match list.as_slice() {
            [] => "rows need no value of an item".to_owned(),
            list => {
                format!("rows need only {}: where terms hold them, no item is read", paths(list))
            }
        },
    }
}

fn path(segments: &[IndexPathSegment]) -> String {
    IndexPath::new(segments.to_vec(), PathEnding::Scalar).to_string()
}

fn composite(composite: &CompositeIndex) -> String {
    let parts = composite.paths.iter().map(|part| {
        let order = if part.order == CompositeOrder::Descending { " DESC" } else { "" };
        format!("{}{order}", part.path)
    });
    format!("({})", parts.collect::<Vec<_>>().join(", "))
}

fn values(set: &ValueSet) -> String {
    if set.is_all() {
        return "any value or none".to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    if set.undefined {
        parts.push("no value".to_owned());
    }
    parts.extend(set.ranges().iter().take(NAMED_MAX).map(range));
    let more = set.ranges().len().saturating_sub(NAMED_MAX);
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    parts.join(" or ")
}

fn range(range: &ValueRange) -> String {
    if let Some(point) = range.as_point() {
        return point.to_string();
    }
    if let Some(kind) = whole_kind(range) {
        return kind.to_owned();
    }
    let low = match &range.low {
        low if *low == Cut::start() => None,
        Cut::Before(value) => Some(format!("from {value}")),
        Cut::After(value) => Some(format!("above {value}")),
        Cut::AfterPrefix(prefix) => Some(format!("after all that begins with {prefix:?}")),
        Cut::BeforeKind(_) | Cut::End => None,
    };
    let high = match &range.high {
        Cut::Before(value) => Some(format!("below {value}")),
        Cut::After(value) => Some(format!("up to {value}")),
        Cut::AfterPrefix(prefix) => Some(format!("up to all that begins with {prefix:?}")),
        Cut::BeforeKind(_) | Cut::End => None,
    };
    let ends: Vec<String> = low.into_iter().chain(high).collect();
    if ends.is_empty() { "any value".to_owned() } else { ends.join(" ") }
}

fn whole_kind(range: &ValueRange) -> Option<&'static str> {
    let kinds = [
        (ValueKind::Bool, "true or false"),
        (ValueKind::Number, "any number"),
        (ValueKind::String, "any text"),
        (ValueKind::Array, "any array"),
        (ValueKind::Object, "any object"),
    ];
    let is_whole = |kind: ValueKind| range.low == kind.start() && range.high == kind.end();
    kinds.into_iter().find(|(kind, _)| is_whole(*kind)).map(|(_, words)| words)
}
