//! The tree of conditions.
//!
//! Owns how conditions combine: AND intersects the values of each path, OR unites them, and an OR with an unknown
//! branch is unknown as a whole.

use std::collections::HashMap;

use model::IndexPathSegment;

use super::scope::ItemPath;
use super::set::ValueSet;
use crate::bind::Expression;

/// What is known about the items that can satisfy a filter.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Every item satisfies it.
    Always,
    /// No item satisfies it.
    Never,
    /// Nothing is known.
    Unknown,
    /// Items with certain values at a path.
    Path(PathCondition),
    /// Items for which all of these hold.
    All(Vec<Condition>),
    /// Items for which at least one of these holds.
    Any(Vec<Condition>),
}

/// A condition on the value at a path. On a path through array elements: on some element.
#[derive(Clone, Debug, PartialEq)]
pub struct PathCondition {
    /// The path.
    pub path: ItemPath,
    /// The values allowed.
    pub values: ValueSet,
    /// A further test: an expression over one input, the value itself.
    pub test: Option<Expression>,
    /// Whether every item found satisfies the filter.
    pub exactness: Exactness,
}

/// Whether a condition is equivalent to the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// The condition and the filter hold for the same items.
    Exact,
    /// The filter must be evaluated again for each item.
    Recheck,
}

/// How much of an index a condition reads, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LookupKind {
    /// The terms of single values.
    Seek,
    /// Ranges of terms, all of which match.
    PreciseScan,
    /// Ranges of terms, some of which match.
    ExpandedScan,
    /// All terms of one kind, some of which match.
    FullScan,
}

impl PathCondition {
    /// How much of an index it reads.
    #[must_use]
    pub fn lookup_kind(&self) -> LookupKind {
        match &self.test {
            None if self.values.ranges().iter().all(|range| range.as_point().is_some()) => {
                LookupKind::Seek
            }
            None => LookupKind::PreciseScan,
            Some(_) if self.values == ValueSet::kind(super::ValueKind::String) => {
                LookupKind::FullScan
            }
            Some(_) => LookupKind::ExpandedScan,
        }
    }

    /// Whether the path leads through array elements.
    #[must_use]
    pub fn is_over_elements(&self) -> bool {
        self.path.contains(&IndexPathSegment::AnyElement)
    }
}

impl Exactness {
    /// Exact if both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::Exact { other } else { Self::Recheck }
    }
}

impl Condition {
    /// A condition on a path, in its simplest form.
    pub(super) fn path(path: ItemPath, values: ValueSet, exactness: Exactness) -> Self {
        Self::tested(PathCondition { path, values, test: None, exactness })
    }

    /// A condition on a path with a test, in its simplest form. An index has no terms for missing array elements, so a
    /// condition that allows these is unknown.
    pub(super) fn tested(condition: PathCondition) -> Self {
        if condition.values.is_none() {
            return Self::Never;
        }
        let is_beyond_index = condition.path.is_empty()
            || (condition.values.undefined && condition.is_over_elements());
        // A condition that allows everything says nothing. If it was inexact, the filter still has to be evaluated.
        if condition.test.is_none() && condition.values.is_all() {
            return if condition.exactness == Exactness::Exact {
                Self::Always
            } else {
                Self::Unknown
            };
        }
        if is_beyond_index { Self::Unknown } else { Self::Path(condition) }
    }

    /// The conjunction of conditions.
    #[must_use]
    pub fn all(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        let mut paths = PathConditions::default();
        let mut is_unknown = false;
        for condition in flat(conditions, Self::into_conjuncts) {
            match condition {
                Self::Never => return Self::Never,
                Self::Always => {}
                // One `Unknown` is kept: it marks the conjunction as inexact.
                Self::Unknown if is_unknown => {}
                Self::Unknown => {
                    is_unknown = true;
                    parts.push(Self::Unknown);
                }
                // Different elements may satisfy different conditions, so conditions on elements must not be
                // intersected.
                Self::Path(path) if path.test.is_none() && !path.is_over_elements() => {
                    paths.add(path);
                }
                other => parts.push(other),
            }
        }
        for condition in paths.join(ValueSet::intersection) {
            match condition {
                Self::Never => return Self::Never,
                Self::Always => {}
                other => parts.push(other),
            }
        }
        single(parts, Self::All, Self::Always)
    }

    /// The disjunction of conditions.
    #[must_use]
    pub fn any(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        let mut paths = PathConditions::default();
        let mut is_unknown = false;
        for condition in flat(conditions, Self::into_disjuncts) {
            match condition {
                Self::Always => return Self::Always,
                Self::Never => {}
                Self::Unknown => is_unknown = true,
                // Also over elements: "some element is a or some element is b" is "some element is a or b".
                Self::Path(path) if path.test.is_none() => paths.add(path),
                other => parts.push(other),
            }
        }
        for condition in paths.join(ValueSet::union) {
            match condition {
                Self::Always => return Self::Always,
                Self::Unknown => is_unknown = true,
                other => parts.push(other),
            }
        }
        if is_unknown { Self::Unknown } else { single(parts, Self::Any, Self::Never) }
    }

    /// The same condition, if the filter will be evaluated again in any case.
    #[must_use]
    pub fn rechecked(self) -> Self {
        match self {
            Self::Path(path) => Self::Path(PathCondition { exactness: Exactness::Recheck, ..path }),
            Self::All(parts) => Self::All(parts.into_iter().map(Self::rechecked).collect()),
            Self::Any(parts) => Self::Any(parts.into_iter().map(Self::rechecked).collect()),
            // Every item qualifies, but the filter must be evaluated: that is what unknown means.
            Self::Always => Self::Unknown,
            other => other,
        }
    }

    /// Whether the condition is equivalent to the filter.
    #[must_use]
    pub fn exactness(&self) -> Exactness {
        match self {
            Self::Always | Self::Never => Exactness::Exact,
            Self::Unknown => Exactness::Recheck,
            Self::Path(path) => path.exactness,
            Self::All(parts) | Self::Any(parts) => parts
                .iter()
                .fold(Exactness::Exact, |exactness, part| exactness.and(part.exactness())),
        }
    }

    /// The conditions on single paths, in the order of the text as far as it is known.
    #[must_use]
    pub fn paths(&self) -> Vec<&PathCondition> {
        match self {
            Self::Always | Self::Never | Self::Unknown => Vec::new(),
            Self::Path(path) => vec![path],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::paths).collect(),
        }
    }

    /// The values that the condition implies at a path.
    #[must_use]
    pub fn implied(&self, path: &[IndexPathSegment]) -> ValueSet {
        self.restricted(path).unwrap_or_else(ValueSet::all)
    }

    /// The same; `None` if nothing is known.
    fn restricted(&self, path: &[IndexPathSegment]) -> Option<ValueSet> {
        match self {
            Self::Never => Some(ValueSet::none()),
            Self::Path(known) if known.path == path => Some(known.values.clone()),
            Self::All(parts) => {
                let mut known = parts.iter().filter_map(|part| part.restricted(path));
                let first = known.next()?;
                Some(known.fold(first, |known, more| known.intersect(&more)))
            }
            // A branch that says nothing about the path allows every value there.
            Self::Any(parts) => {
                let known: Option<Vec<ValueSet>> =
                    parts.iter().map(|part| part.restricted(path)).collect();
                known.map(ValueSet::union)
            }
            Self::Always | Self::Unknown | Self::Path(_) => None,
        }
    }

    fn into_conjuncts(self) -> Result<Vec<Self>, Self> {
        match self {
            Self::All(parts) => Ok(parts),
            other => Err(other),
        }
    }

    fn into_disjuncts(self) -> Result<Vec<Self>, Self> {
        match self {
            Self::Any(parts) => Ok(parts),
            other => Err(other),
        }
    }
}

/// Flattens one level of nesting.
fn flat(
    conditions: impl IntoIterator<Item = Condition>,
    open: fn(Condition) -> Result<Vec<Condition>, Condition>,
) -> impl Iterator<Item = Condition> {
    conditions.into_iter().flat_map(move |condition| {
        let (parts, single) = match open(condition) {
            Ok(parts) => (parts, None),
            Err(single) => (Vec::new(), Some(single)),
        };
        parts.into_iter().chain(single)
    })
}

fn single(
    mut parts: Vec<Condition>,
    join: fn(Vec<Condition>) -> Condition,
    empty: Condition,
) -> Condition {
    match parts.pop() {
        None => empty,
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            join(parts)
        }
    }
}

/// Up to this many paths, a linear search is cheaper than a hash map; few filters have more.
const FEW_PATHS: usize = 8;

/// Conditions by path, in the order of their first occurrence.
#[derive(Default)]
struct PathConditions {
    /// The indexes of the paths beyond `FEW_PATHS`.
    indexes: HashMap<ItemPath, usize>,
    list: Vec<PathValues>,
}

/// The sets of values for one path: usually a single one.
struct PathValues {
    path: ItemPath,
    values: ValueSet,
    more: Vec<ValueSet>,
    exactness: Exactness,
}

impl PathConditions {
    fn add(&mut self, condition: PathCondition) {
        let index = self.index(&condition.path);
        match index.and_then(|index| self.list.get_mut(index)) {
            Some(known) => {
                known.more.push(condition.values);
                known.exactness = known.exactness.and(condition.exactness);
            }
            None => {
                if self.list.len() >= FEW_PATHS {
                    self.indexes.insert(condition.path.clone(), self.list.len());
                }
                let PathCondition { path, values, exactness, .. } = condition;
                self.list.push(PathValues { path, values, more: Vec::new(), exactness });
            }
        }
    }

    fn index(&self, path: &[IndexPathSegment]) -> Option<usize> {
        let few = self.list.iter().take(FEW_PATHS).position(|known| known.path == path);
        few.or_else(|| self.indexes.get(path).copied())
    }

    fn join(self, join: fn(Vec<ValueSet>) -> ValueSet) -> impl Iterator<Item = Condition> {
        self.list.into_iter().map(move |known| {
            let PathValues { path, values, mut more, exactness } = known;
            let values = if more.is_empty() {
                values
            } else {
                more.insert(0, values);
                join(more)
            };
            Condition::path(path, values, exactness)
        })
    }
}
