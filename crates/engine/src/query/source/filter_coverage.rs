//! Whether a source evaluates the complete filter, so that it need not be evaluated for each item.
//!
//! That holds if every condition is exact, concerns a value that terms contain completely, and is read from terms or
//! implied by the partition key. In doubt the filter is evaluated.

use ::query::plan::access::{AccessPlan, CompositeLookup, Indexes, Lookup, OrderAccess};
use ::query::plan::condition::{Exactness, ItemPath, PathCondition, ValueSet};
use model::{CompositeIndex, IndexPathSegment, Json, PartitionKeyDefinition, PartitionKeyValue};

use super::index_values::exact_value;
use super::term::has_exact_bounds;
use crate::query::target::PartitionSlice;

/// Whether the terms of an order imply the filter. `lookup` excludes conditions that the slices guarantee.
pub(super) fn order_implies_filter(
    access: &AccessPlan,
    lookup: &Lookup,
    indexes: &Indexes,
) -> bool {
    if !access.remaining.is_empty() {
        return false;
    }
    match &access.order {
        OrderAccess::Path { path, .. } => match lookup {
            Lookup::Everything => true,
            Lookup::Path(condition) => condition.path == *path && is_exact_path(condition),
            _ => false,
        },
        OrderAccess::Composite { index, equal, next, serves_filter: true, .. } => {
            let Some(composite) = indexes.composites().get(*index) else { return false };
            only_concerns(composite, lookup, indexes)
                && equal.iter().all(|value| has_exact_bounds(&ValueSet::point(value)))
                && (next.is_all() || is_exact_set(next))
        }
        _ => false,
    }
}

/// Whether the terms of a lookup imply the filter.
pub(super) fn lookup_implies_filter(access: &AccessPlan, lookup: &Lookup) -> bool {
    let is_answered = match lookup {
        Lookup::Nothing | Lookup::Everything => true,
        Lookup::Path(condition) => is_exact_path(condition),
        Lookup::Composite(lookup) => is_exact_composite(lookup),
        // Their terms are filtered only as far as terms can show it (see `intersection`), so the filter has to decide.
        Lookup::Intersection(_) | Lookup::Union(_) => false,
    };
    access.remaining.is_empty() && is_answered
}

/// Whether all items of a logical partition satisfy a condition on one component of their partition key. Keys hold
/// numbers as doubles, so large integers are uncertain; and the request may name a key that the filter excludes.
pub(super) fn key_implies_condition(condition: &PathCondition, value: &PartitionKeyValue) -> bool {
    condition.exactness == Exactness::Exact
        && condition.test.is_none()
        // A request may name one key and filter by another; then the condition is false for all items, not implied.
        && exact_value(value).is_some_and(|json| condition.values.contains(Some(&json)))
}

/// Whether all conditions of a lookup must hold and concern only paths of a composite index.
fn only_concerns(composite: &CompositeIndex, lookup: &Lookup, indexes: &Indexes) -> bool {
    let is_in =
        |path: &[IndexPathSegment]| composite.paths.iter().any(|part| part.path.segments() == path);
    match lookup {
        Lookup::Everything => true,
        Lookup::Path(condition) => is_in(&condition.path) && is_exact_path(condition),
        Lookup::Composite(lookup) => {
            let paths = indexes.composites().get(lookup.index).map(|known| &known.paths);
            let mut paths = paths.into_iter().flatten().map(|part| part.path.segments());
            paths.all(is_in) && is_exact_composite(lookup)
        }
        Lookup::Intersection(parts) => {
            parts.iter().all(|part| only_concerns(composite, part, indexes))
        }
        Lookup::Nothing | Lookup::Union(_) => false,
    }
}

fn is_exact_path(condition: &PathCondition) -> bool {
    let PathCondition { path, values, test, exactness } = condition;
    // Terms of array elements say that some element matches. Two conditions on elements may need the same one.
    let is_single = |path: &ItemPath| !path.contains(&IndexPathSegment::AnyElement);
    *exactness == Exactness::Exact && test.is_none() && is_single(path) && is_exact_set(values)
}

fn is_exact_composite(lookup: &CompositeLookup) -> bool {
    let is_whole = |value: &Json| has_exact_bounds(&ValueSet::point(value));
    lookup.exactness == Exactness::Exact
        && lookup.equal.iter().all(is_whole)
        && lookup.next.as_ref().is_none_or(is_exact_set)
}

/// Whether terms distinguish the values of a set from all others.
fn is_exact_set(values: &ValueSet) -> bool {
    values.is_scalar() && has_exact_bounds(values)
}

/// Removes conditions on the partition key from a lookup over logical partitions, whose items all share the key. Also
/// returns whether the keys of the slices imply the removed conditions.
pub(super) fn without_partition_key(
    lookup: &Lookup,
    definition: &PartitionKeyDefinition,
    slices: &[PartitionSlice],
) -> (Lookup, bool) {
    let parts = match lookup {
        Lookup::Intersection(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    let level =
        |path: &ItemPath| definition.paths().iter().position(|key| is_path(path, key.segments()));
    let mut slices_imply_key = true;
    let mut remaining = Vec::new();
    for part in parts {
        let key = match part {
            Lookup::Path(condition) => level(&condition.path).map(|level| (condition, level)),
            _ => None,
        };
        let Some((condition, level)) = key else {
            remaining.push(part.clone());
            continue;
        };
        // The condition is dropped from the lookup in any case: inside one logical partition it cannot select
        // anything. If the key does not imply it, the filter is evaluated.
        slices_imply_key &= slices.iter().all(|slice| {
            let value = slice.key.as_ref().and_then(|key| key.components().get(level));
            value.is_some_and(|value| key_implies_condition(condition, value))
        });
    }
    let lookup = match remaining.pop() {
        None => Lookup::Everything,
        Some(only) if remaining.is_empty() => only,
        Some(last) => {
            remaining.push(last);
            Lookup::Intersection(remaining)
        }
    };
    (lookup, slices_imply_key)
}

/// Whether a path consists of these property names.
pub(super) fn is_path(path: &[IndexPathSegment], names: &[String]) -> bool {
    path.len() == names.len()
        && path.iter().zip(names).all(
            |(segment, name)| matches!(segment, IndexPathSegment::Property(known) if known == name),
        )
}
