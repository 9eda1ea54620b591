//! Lookups for a filter.
//!
//! Owns the rules: a condition on an indexed path is a lookup, AND intersects lookups, OR unites them only if every
//! branch has one. A composite index serves equalities on its first paths and one condition on its last; the filter
//! must use each of its paths.

use model::{CompositeIndex, IndexPathSegment, Json};

use super::policy::Indexes;
use crate::plan::condition::{Condition, Exactness, LookupKind, PathCondition, ValueSet};

/// How to find the items that can satisfy a filter.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// No item can satisfy it.
    Nothing,
    /// All items are read.
    Everything,
    /// By the terms of a path.
    Path(PathCondition),
    /// By the terms of a composite index.
    Composite(CompositeLookup),
    /// The items that all of these find; the first is the most selective by its kind.
    Intersection(Vec<Lookup>),
    /// The items that any of these finds.
    Union(Vec<Lookup>),
}

/// A lookup in a composite index.
#[derive(Clone, Debug, PartialEq)]
pub struct CompositeLookup {
    /// The number of the index in the policy.
    pub index: usize,
    /// The values of its first paths.
    pub equal: Vec<Json>,
    /// The values allowed at its next path; `None` for any scalar.
    pub next: Option<ValueSet>,
    /// Whether every item found satisfies the conditions that the lookup repositions.
    pub exactness: Exactness,
}

impl Lookup {
    /// How much of an index is read; `None` if all items are read.
    #[must_use]
    pub fn kind(&self) -> Option<LookupKind> {
        match self {
            Self::Nothing => Some(LookupKind::Seek),
            Self::Everything => None,
            Self::Path(condition) => Some(condition.lookup_kind()),
            Self::Composite(lookup) => Some(match &lookup.next {
                Some(next) if next.as_points().is_none() => LookupKind::PreciseScan,
                _ => LookupKind::Seek,
            }),
            // An intersection is classified by its cheapest part, a union by its most expensive one.
            Self::Intersection(parts) => parts.iter().filter_map(Self::kind).min(),
            Self::Union(parts) => parts.iter().map(Self::kind).max().flatten(),
        }
    }

    /// Whether all items are read.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::Everything
    }
}

/// The lookups for a condition. `aggregated` is a path that is summed up: it counts as used by the filter.
pub(super) fn lookup(
    condition: &Condition,
    indexes: &Indexes,
    aggregated: Option<&[IndexPathSegment]>,
) -> Lookup {
    match condition {
        Condition::Never => Lookup::Nothing,
        // Unknown and always look alike here; they differ in what remains to be evaluated.
        Condition::Always | Condition::Unknown => Lookup::Everything,
        Condition::Path(_) => intersection(std::slice::from_ref(condition), indexes, aggregated),
        Condition::All(parts) => intersection(parts, indexes, aggregated),
        Condition::Any(parts) => {
            let parts: Vec<Lookup> = parts.iter().map(|part| lookup(part, indexes, None)).collect();
            // One branch without a lookup makes a scan necessary, which finds the items of the others as well.
            if parts.iter().any(Lookup::is_everything) {
                Lookup::Everything
            } else {
                Lookup::Union(parts)
            }
        }
    }
}

/// Whether the lookups for a condition find exactly the items that satisfy it.
pub(super) fn is_exact(condition: &Condition, indexes: &Indexes) -> bool {
    match condition {
        Condition::Always | Condition::Never => true,
        Condition::Unknown => false,
        Condition::Path(path) => path.exactness == Exactness::Exact && indexes.covers(&path.path),
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().all(|part| is_exact(part, indexes))
        }
    }
}

fn intersection(
    conditions: &[Condition],
    indexes: &Indexes,
    aggregated: Option<&[IndexPathSegment]>,
) -> Lookup {
    let paths: Vec<&PathCondition> = conditions
        .iter()
        .filter_map(|condition| match condition {
            Condition::Path(path) => Some(path),
            _ => None,
        })
        .collect();
    // Composite indexes first: a condition that one of them serves needs no lookup of its own.
    let (mut parts, served) = composites(&paths, indexes, aggregated);
    let rest = paths
        .iter()
        .enumerate()
        .filter(|(position, path)| !served.contains(position) && indexes.covers(&path.path));
    parts.extend(rest.map(|(_, path)| Lookup::Path((*path).clone())));
    for condition in conditions.iter().filter(|part| !matches!(part, Condition::Path(_))) {
        parts.push(lookup(condition, indexes, None));
    }
    parts.retain(|part| !part.is_everything());
    // A fixed order, so that the same query always runs the same way: composite before single, equality before ranges,
    // then as written.
    parts.sort_by_key(|part| (!matches!(part, Lookup::Composite(_)), part.kind()));
    match parts.pop() {
        None => Lookup::Everything,
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            Lookup::Intersection(parts)
        }
    }
}

/// The composite indexes that serve conditions, longest first, and the indexes of these conditions.
fn composites(
    paths: &[&PathCondition],
    indexes: &Indexes,
    aggregated: Option<&[IndexPathSegment]>,
) -> (Vec<Lookup>, Vec<usize>) {
    let mut numbered: Vec<(usize, &CompositeIndex)> =
        indexes.composites().iter().enumerate().collect();
    numbered.sort_by_key(|(_, composite)| std::cmp::Reverse(composite.paths.len()));
    let mut lookups = Vec::new();
    let mut served = Vec::new();
    for (index, composite) in numbered {
        let Some((lookup, positions)) = serve(index, composite, paths, aggregated) else {
            continue;
        };
        // Skip an index that serves no further condition.
        let adds = positions.iter().any(|position| !served.contains(position));
        // Without a condition on its last path it serves an aggregate, which counts as a use of its own.
        if adds || (lookup.next.is_none() && lookups.is_empty()) {
            served.extend(positions);
            lookups.push(Lookup::Composite(lookup));
        }
    }
    (lookups, served)
}

/// How a composite index serves conditions, and which ones; `None` if it cannot.
fn serve(
    index: usize,
    composite: &CompositeIndex,
    paths: &[&PathCondition],
    aggregated: Option<&[IndexPathSegment]>,
) -> Option<(CompositeLookup, Vec<usize>)> {
    let find = |wanted: &[IndexPathSegment]| {
        paths.iter().enumerate().find(|(_, path)| path.path == wanted && is_servable(path))
    };
    let (last, first) = composite.paths.split_last()?;
    let mut equal = Vec::new();
    let mut positions = Vec::new();
    let mut exactness = Exactness::Exact;
    for component in first {
        let (position, path) = find(component.path.segments())?;
        // Only equality: terms of a composite index are contiguous for a fixed value of each leading path.
        equal.push(path.values.as_point()?.clone());
        positions.push(position);
        exactness = exactness.and(path.exactness);
    }
    let next = match find(last.path.segments()) {
        Some((position, path)) => {
            positions.push(position);
            exactness = exactness.and(path.exactness);
            Some(path.values.clone())
        }
        None if aggregated == Some(last.path.segments()) => None,
        None => return None,
    };
    Some((CompositeLookup { index, equal, next, exactness }, positions))
}

/// Composite indexes contain only scalars, one per item and path.
fn is_servable(path: &PathCondition) -> bool {
    path.test.is_none() && !path.is_over_elements() && path.values.is_scalar()
}
