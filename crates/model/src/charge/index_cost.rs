//! The charge for indexing an item, path by path.
//!
//! Owns the traversal of an item that prices each indexed leaf, and the prices of composite, spatial and vector
//! indexes. The engine finds leaves while it builds index terms and uses only the prices of this module; a test checks
//! that both find the same leaves.

use std::hash::{DefaultHasher, Hasher};

use crate::resource::is_system_property;
use crate::value::structural_hash;
use crate::{
    IndexPath, IndexPathSegment, IndexingMode, IndexingPolicy, Json, MatcherState, PathEnding,
    PathMatcher, SpatialIndex, VectorIndex, VectorIndexKind,
};

/// Price of one index term, in 1/21 request units.
pub const TERM_UNITS: u64 = 4;
/// Price of one indexed leaf: two terms. A composite index and a shape cost the same.
pub const LEAF_UNITS: u64 = 2 * TERM_UNITS;
/// Prices of one dimension of a vector, in ten-thousandths of a request unit.
const QUANTIZED_FLAT_DIMENSION: u64 = 163;
const DISK_ANN_DIMENSION: u64 = 358;

/// One index entry that an item pays for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexCost {
    /// The path, as an indexing policy writes it. The paths of a composite index are joined by commas.
    pub path: String,
    /// The kind of index.
    pub kind: IndexCostKind,
    /// Hash of the value, to distinguish values at the same path.
    // Instead of the value: a replace compares many entries, and a value may have megabytes.
    pub fingerprint: u64,
    /// Its price in 1/21 request units.
    pub units: u64,
}

/// The kinds of index that are charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexCostKind {
    /// A scalar at an included path.
    Leaf,
    /// A composite index whose paths all exist.
    Composite,
    /// A shape under a spatial index.
    Spatial,
    /// A vector under a vector index.
    Vector,
}

impl IndexCostKind {
    /// The name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Composite => "composite",
            Self::Spatial => "spatial",
            Self::Vector => "vector",
        }
    }
}

/// The index entries that an item pays for, in the order of its properties. System properties are free.
#[must_use]
pub fn index_costs(policy: &IndexingPolicy, item: &Json) -> Vec<IndexCost> {
    if policy.mode == IndexingMode::None {
        return Vec::new();
    }
    let matcher = PathMatcher::new(policy);
    let mut collector = IndexCostCollector { segments: Vec::new(), costs: Vec::new() };
    if let Some(object) = item.as_object() {
        // At the top level only; nested properties may have any name.
        for (name, value) in object.iter().filter(|(name, _)| !is_system_property(name)) {
            collector.property(matcher.root(), name, value);
        }
    }
    collector.costs.extend(structural_costs(policy, item));
    collector.costs
}

/// The composite, spatial and vector index entries that an item pays for.
#[must_use]
pub fn structural_costs(policy: &IndexingPolicy, item: &Json) -> Vec<IndexCost> {
    let composites = policy.composite.iter().filter_map(|composite| {
        let paths = composite.paths.iter().map(|part| part.path.segments());
        let values = paths.map(|path| find_values(item, path)).collect::<Vec<_>>();
        let all_exist = values.iter().all(|values| !values.is_empty());
        let names = composite.paths.iter().map(|part| part.path.to_string());
        all_exist.then(|| IndexCost {
            path: names.collect::<Vec<_>>().join(","),
            kind: IndexCostKind::Composite,
            fingerprint: fingerprint(values.into_iter().flatten()),
            units: LEAF_UNITS,
        })
    });
    let shapes = policy.spatial.iter().flat_map(|index| spatial(index, item));
    let vectors = policy.vector.iter().filter_map(|index| vector(index, item));
    composites.chain(shapes).chain(vectors).collect()
}

/// The sum of all prices.
#[must_use]
pub fn total_units(costs: &[IndexCost]) -> u64 {
    costs.iter().map(|cost| cost.units).sum()
}

/// The price of the entries that only one of two versions of an item has: those removed and those added.
#[must_use]
pub fn changed_units(old: &[IndexCost], new: &[IndexCost]) -> u64 {
    only_in_one(old, new).iter().map(|cost| cost.units).sum()
}

/// The entries that only one of two versions has, sorted by path.
pub(super) fn only_in_one<'cost>(
    old: &'cost [IndexCost],
    new: &'cost [IndexCost],
) -> Vec<&'cost IndexCost> {
    let order = |left: &&IndexCost, right: &&IndexCost| {
        // Without the kind: equal path and value mean the same kind, because the paths of other kinds end differently
        // or the value is no scalar.
        (&left.path, left.fingerprint).cmp(&(&right.path, right.fingerprint))
    };
    let sorted = |costs: &'cost [IndexCost]| {
        let mut costs: Vec<&IndexCost> = costs.iter().collect();
        costs.sort_by(order);
        costs
    };
    // Merged like sorted lists, as multisets: an array may contain the same value twice, and each counts.
    let (old, new) = (sorted(old), sorted(new));
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    let mut changed = Vec::new();
    loop {
        let which = match (old.peek(), new.peek()) {
            (Some(left), Some(right)) => order(left, right),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return changed,
        };
        match which {
            std::cmp::Ordering::Less => changed.extend(old.next()),
            std::cmp::Ordering::Greater => changed.extend(new.next()),
            std::cmp::Ordering::Equal => {
                old.next();
                new.next();
            }
        }
    }
}

struct IndexCostCollector {
    segments: Vec<IndexPathSegment>,
    costs: Vec<IndexCost>,
}

impl IndexCostCollector {
    fn property(&mut self, state: MatcherState<'_>, name: &str, value: &Json) {
        self.segments.push(IndexPathSegment::Property(name.to_owned()));
        self.value(state.property(name), value);
        self.segments.pop();
    }

    fn value(&mut self, state: MatcherState<'_>, value: &Json) {
        // Nothing below can be included, so the subtree is not traversed.
        if state.subtree_excluded() && !state.scalar_included() {
            return;
        }
        match value {
            Json::Object(object) => {
                for (name, value) in object.iter() {
                    self.property(state, name, value);
                }
            }
            Json::Array(elements) => {
                self.segments.push(IndexPathSegment::AnyElement);
                for element in elements {
                    self.value(state.element(), element);
                }
                self.segments.pop();
            }
            scalar if state.scalar_included() => self.costs.push(IndexCost {
                path: IndexPath::new(self.segments.clone(), PathEnding::Scalar).to_string(),
                kind: IndexCostKind::Leaf,
                fingerprint: fingerprint(std::iter::once(scalar)),
                units: LEAF_UNITS,
            }),
            _ => {}
        }
    }
}

fn fingerprint<'value>(values: impl Iterator<Item = &'value Json>) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.for_each(|value| hasher.write_u128(structural_hash(value)));
    hasher.finish()
}

fn spatial(index: &SpatialIndex, item: &Json) -> Vec<IndexCost> {
    let is_indexed = |shape: &&Json| {
        let kind = shape.get("type").and_then(Json::as_str).unwrap_or_default();
        shape.get("coordinates").is_some() && index.types.iter().any(|known| known.as_str() == kind)
    };
    let shapes = find_values(item, index.path.segments()).into_iter().filter(is_indexed);
    let cost = |shape| IndexCost {
        path: index.path.to_string(),
        kind: IndexCostKind::Spatial,
        fingerprint: fingerprint(std::iter::once(shape)),
        units: LEAF_UNITS,
    };
    shapes.map(cost).collect()
}

fn vector(index: &VectorIndex, item: &Json) -> Option<IndexCost> {
    let price = match index.kind {
        VectorIndexKind::Flat => return None,
        VectorIndexKind::QuantizedFlat => QUANTIZED_FLAT_DIMENSION,
        VectorIndexKind::DiskAnn => DISK_ANN_DIMENSION,
    };
    let mut segments = index.path.segments().iter();
    let value = segments.try_fold(item, |value, name| value.get(name))?;
    let dimensions = value.as_array()?.len() as u64;
    Some(IndexCost {
        path: index.path.to_string(),
        kind: IndexCostKind::Vector,
        fingerprint: fingerprint(std::iter::once(value)),
        // From ten-thousandths to 1/21 request units, rounded to the nearest.
        units: (dimensions * price * 21 + 5_000) / 10_000,
    })
}

/// The values at a path; `[]` selects every element of an array.
fn find_values<'item>(item: &'item Json, segments: &[IndexPathSegment]) -> Vec<&'item Json> {
    let mut values = vec![item];
    for segment in segments {
        values = match segment {
            IndexPathSegment::Property(name) => {
                values.into_iter().filter_map(|value| value.get(name)).collect()
            }
            IndexPathSegment::AnyElement => {
                values.into_iter().filter_map(Json::as_array).flatten().collect()
            }
        };
    }
    values
}
