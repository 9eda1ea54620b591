//! Whether a source answers the whole filter, so that it need not be asked of the items again.
//!
//! Owns the conditions under which terms say all that a filter says: every part of it is exact, about a value that
//! terms hold whole, and walked. In doubt the filter is asked.

use ::query::plan::access::{AccessPlan, CompositeLookup, Indexes, Lookup, OrderAccess};
use ::query::plan::condition::{Exactness, ItemPath, PathCondition, ValueSet};
use model::{CompositeIndex, IndexPathSegment, Json, PartitionKeyValue};

use super::index_values::exact_value;
use super::term::is_held_whole;

/// Whether the terms of an order answer the filter. `lookup` is what the part read leaves of the filter.
pub(super) fn by_order(access: &AccessPlan, lookup: &Lookup, indexes: &Indexes) -> bool {
    if !access.remaining.is_empty() {
        return false;
    }
    match &access.order {
        OrderAccess::Path { path, .. } => match lookup {
            Lookup::Everything => true,
            Lookup::Path(condition) => condition.path == *path && is_certain(condition),
            _ => false,
        },
        OrderAccess::Composite { index, equal, next, serves_filter: true, .. } => {
            let Some(composite) = indexes.composites().get(*index) else { return false };
            is_about(composite, lookup, indexes)
                && equal.iter().all(|value| is_held_whole(&ValueSet::point(value)))
                && (next.is_all() || is_certain_set(next))
        }
        _ => false,
    }
}

/// Whether the terms of a lookup answer the filter.
pub(super) fn by_lookup(access: &AccessPlan, lookup: &Lookup) -> bool {
    let is_answered = match lookup {
        Lookup::Nothing | Lookup::Everything => true,
        Lookup::Path(condition) => is_certain(condition),
        Lookup::Composite(lookup) => is_certain_composite(lookup),
        Lookup::Intersection(_) | Lookup::Union(_) => false,
    };
    access.remaining.is_empty() && is_answered
}

/// Whether all items of a logical partition satisfy a condition on one value of their partition key. A key knows
/// numbers as doubles, so a large one is not certain; and a part may be read whose key the filter does not ask for.
pub(super) fn by_partition_key(condition: &PathCondition, value: &PartitionKeyValue) -> bool {
    condition.exactness == Exactness::Exact
        && condition.test.is_none()
        && exact_value(value).is_some_and(|json| condition.values.contains(Some(&json)))
}

/// Whether a lookup says something about the paths of a composite index only, and all parts of it must hold.
fn is_about(composite: &CompositeIndex, lookup: &Lookup, indexes: &Indexes) -> bool {
    let is_in =
        |path: &[IndexPathSegment]| composite.paths.iter().any(|part| part.path.segments() == path);
    match lookup {
        Lookup::Everything => true,
        Lookup::Path(condition) => is_in(&condition.path) && is_certain(condition),
        Lookup::Composite(lookup) => {
            let paths = indexes.composites().get(lookup.index).map(|known| &known.paths);
            let mut paths = paths.into_iter().flatten().map(|part| part.path.segments());
            paths.all(is_in) && is_certain_composite(lookup)
        }
        Lookup::Intersection(parts) => parts.iter().all(|part| is_about(composite, part, indexes)),
        Lookup::Nothing | Lookup::Union(_) => false,
    }
}

fn is_certain(condition: &PathCondition) -> bool {
    let PathCondition { path, values, test, exactness } = condition;
    let is_single = |path: &ItemPath| !path.contains(&IndexPathSegment::AnyElement);
    *exactness == Exactness::Exact && test.is_none() && is_single(path) && is_certain_set(values)
}

fn is_certain_composite(lookup: &CompositeLookup) -> bool {
    let is_whole = |value: &Json| is_held_whole(&ValueSet::point(value));
    lookup.exactness == Exactness::Exact
        && lookup.equal.iter().all(is_whole)
        && lookup.next.as_ref().is_none_or(is_certain_set)
}

/// Whether terms tell the values of a set from all others.
fn is_certain_set(values: &ValueSet) -> bool {
    values.is_scalar() && is_held_whole(values)
}
