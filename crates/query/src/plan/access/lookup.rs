//! Lookups for a filter.
//!
//! Owns the rules: a condition on an indexed path is a lookup, AND intersects lookups, OR unites them only if every
//! branch has one. A composite index serves equalities on its first paths and one condition on its last; each of its
//! paths must be asked for.

use model::{CompositeIndex, IndexPathSegment, Json};

use super::policy::Indexes;
use crate::plan::condition::{Condition, Exactness, LookupKind, PathCondition, ValueSet};

/// How the items that can satisfy a filter are found.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// No item can.
    Nothing,
    /// All items are read.
    Everything,
    /// By the terms of a path.
    Path(PathCondition),
    /// By the terms of a composite index.
    Composite(CompositeLookup),
    /// What all of these find; the first is the most selective by its kind.
    Intersection(Vec<Lookup>),
    /// What any of these finds.
    Union(Vec<Lookup>),
}

/// A lookup in a composite index.
#[derive(Clone, Debug, PartialEq)]
pub struct CompositeLookup {
    /// The number of the index in the policy.
    pub index: usize,
    /// The values of its first paths.
    pub equal: Vec<Json>,
    /// What its next path must hold; none when any scalar will do.
    pub next: Option<ValueSet>,
    /// Whether every item found satisfies the conditions the lookup stands for.
    pub exactness: Exactness,
}

impl Lookup {
    /// How much of an index is read, as far as one number can say it.
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
            Self::Intersection(parts) => parts.iter().filter_map(Self::kind).min(),
            Self::Union(parts) => parts.iter().map(Self::kind).max().flatten(),
        }
    }

    /// Whether an item could be left out that the index does not know: only a lookup reads less than everything.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::Everything
    }
}

/// The lookups for a condition. `aggregated` is a path that is summed up: it counts as asked for.
pub(super) fn lookup(
    condition: &Condition,
    indexes: &Indexes,
    aggregated: Option<&[IndexPathSegment]>,
) -> Lookup {
    match condition {
        Condition::Never => Lookup::Nothing,
        Condition::Always | Condition::Unknown => Lookup::Everything,
        Condition::Path(_) => intersection(std::slice::from_ref(condition), indexes, aggregated),
        Condition::All(parts) => intersection(parts, indexes, aggregated),
        Condition::Any(parts) => {
            let parts: Vec<Lookup> = parts.iter().map(|part| lookup(part, indexes, None)).collect();
            if parts.iter().any(Lookup::is_everything) {
                Lookup::Everything
            } else {
                Lookup::Union(parts)
            }
        }
    }
}

/// Whether a condition is answered precisely by the lookups for it.
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
    let (mut parts, served) = composites(&paths, indexes, aggregated);
    let rest = paths
        .iter()
        .enumerate()
        .filter(|(place, path)| !served.contains(place) && indexes.covers(&path.path));
    parts.extend(rest.map(|(_, path)| Lookup::Path((*path).clone())));
    for condition in conditions.iter().filter(|part| !matches!(part, Condition::Path(_))) {
        parts.push(lookup(condition, indexes, None));
    }
    parts.retain(|part| !part.is_everything());
    // A stable order: composite before single, equality before ranges, then as written.
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

/// The composite indexes that serve conditions, the longest first, and the conditions they serve.
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
        let Some((lookup, places)) = serve(index, composite, paths, aggregated) else {
            continue;
        };
        // An index that adds nothing to those before it is not read.
        let adds = places.iter().any(|place| !served.contains(place));
        if adds || (lookup.next.is_none() && lookups.is_empty()) {
            served.extend(places);
            lookups.push(Lookup::Composite(lookup));
        }
    }
    (lookups, served)
}

/// How a composite index serves conditions, and which ones.
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
    let mut places = Vec::new();
    let mut exactness = Exactness::Exact;
    for component in first {
        let (place, path) = find(component.path.segments())?;
        equal.push(path.values.as_point()?.clone());
        places.push(place);
        exactness = exactness.and(path.exactness);
    }
    let next = match find(last.path.segments()) {
        Some((place, path)) => {
            places.push(place);
            exactness = exactness.and(path.exactness);
            Some(path.values.clone())
        }
        None if aggregated == Some(last.path.segments()) => None,
        None => return None,
    };
    Some((CompositeLookup { index, equal, next, exactness }, places))
}

/// Composite indexes hold scalars only, one for each item.
fn is_servable(path: &PathCondition) -> bool {
    path.test.is_none() && !path.is_over_elements() && path.values.is_scalar()
}
