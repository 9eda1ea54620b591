//! From slots to paths of the item.
//!
//! Owns which place of the item an input stands for: the item itself, a property below it, the elements of an array.
//! An input over a query stands for no place.

use model::IndexPathSegment;

use super::tree::Exactness;
use crate::bind::{BoundQuery, BoundSource, Expression, Input, PathStep};

/// Where in an item.
pub type ItemPath = Vec<IndexPathSegment>;

/// What an expression stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum ResolvedPath {
    /// The value at a path. A position in an array is known to an index only as "some element": then the index finds
    /// more than asked for.
    Path(ItemPath, Exactness),
    /// Nothing: no item has a value there.
    Absent,
}

/// The inputs in sight, by slot.
#[derive(Clone, Debug, Default)]
pub struct PathScope {
    slots: Vec<Option<ResolvedPath>>,
}

impl PathScope {
    /// The inputs of a query that stands alone.
    #[must_use]
    pub fn for_query(query: &BoundQuery) -> Self {
        Self::default().enter(query)
    }

    /// The inputs seen inside a query that this scope surrounds.
    #[must_use]
    pub fn enter(&self, query: &BoundQuery) -> Self {
        let mut inner = self.clone();
        for source in &query.sources {
            let resolved = inner.source(source);
            inner.slots.truncate(source.slot);
            inner.slots.resize(source.slot, None);
            inner.slots.push(resolved);
        }
        inner
    }

    /// The scope that a source which is a query is bound in.
    pub(super) fn around(&self, source: &BoundSource) -> Self {
        let mut outer = self.clone();
        outer.slots.truncate(source.slot);
        outer
    }

    /// What an alias or a path below one stands for; none for any other expression.
    #[must_use]
    pub fn resolve(&self, expression: &Expression) -> Option<ResolvedPath> {
        match expression {
            Expression::Input(slot) => self.slots.get(*slot)?.clone(),
            Expression::Member { target, steps } => {
                self.resolve(target).map(|start| below(start, steps))
            }
            _ => None,
        }
    }

    fn source(&self, source: &BoundSource) -> Option<ResolvedPath> {
        let start = match &source.root {
            Input::Container => ResolvedPath::Path(Vec::new(), Exactness::Exact),
            Input::Slot(slot) => self.slots.get(*slot)?.clone()?,
            Input::Query(_) => return None,
        };
        let resolved = below(start, &source.path);
        if !source.iterates {
            return Some(resolved);
        }
        Some(match resolved {
            ResolvedPath::Path(mut path, _) => {
                path.push(IndexPathSegment::AnyElement);
                ResolvedPath::Path(path, Exactness::Recheck)
            }
            ResolvedPath::Absent => ResolvedPath::Absent,
        })
    }
}

fn below(start: ResolvedPath, steps: &[PathStep]) -> ResolvedPath {
    let ResolvedPath::Path(mut path, mut exactness) = start else {
        return ResolvedPath::Absent;
    };
    for step in steps {
        match step {
            PathStep::Property(name) => path.push(IndexPathSegment::Property(name.clone())),
            PathStep::Index(index) if *index >= 0 => {
                path.push(IndexPathSegment::AnyElement);
                exactness = Exactness::Recheck;
            }
            PathStep::Index(_) | PathStep::Nowhere => return ResolvedPath::Absent,
        }
    }
    ResolvedPath::Path(path, exactness)
}
