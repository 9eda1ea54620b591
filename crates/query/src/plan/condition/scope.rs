//! Slots to paths of the item.
//!
//! Owns the path of the item that an input refers to: the item itself, a property below it, the elements of an array.
//! An input over a query has no path.

use model::IndexPathSegment;

use super::tree::Exactness;
use crate::bind::{BoundQuery, BoundSource, Expression, Input, PathStep};

/// A path inside an item.
pub type ItemPath = Vec<IndexPathSegment>;

/// The value of the item that an expression refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum ResolvedPath {
    /// The value at a path. An index knows array elements only as "some element", not by position: then it finds more
    /// than requested.
    Path(ItemPath, Exactness),
    /// No item has a value there.
    Absent,
}

/// The inputs in scope, by slot.
#[derive(Clone, Debug, Default)]
pub struct PathScope {
    slots: Vec<Option<ResolvedPath>>,
}

impl PathScope {
    /// The inputs of an outermost query.
    #[must_use]
    pub fn for_query(query: &BoundQuery) -> Self {
        Self::default().enter(query)
    }

    /// The inputs in scope inside a query that this scope surrounds.
    #[must_use]
    pub fn enter(&self, query: &BoundQuery) -> Self {
        let mut inner = self.clone();
        for source in &query.sources {
            let resolved = inner.source(source);
            // Slots of a query in FROM are reused by the query around it, so older entries are dropped first.
            inner.slots.truncate(source.slot);
            inner.slots.resize(source.slot, None);
            inner.slots.push(resolved);
        }
        inner
    }

    /// The scope around an input that is a query.
    pub(super) fn around(&self, source: &BoundSource) -> Self {
        let mut outer = self.clone();
        outer.slots.truncate(source.slot);
        outer
    }

    /// The value that an alias or a path below one refers to; `None` for any other expression.
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
                // Terms do not know positions: "element 3 is x" becomes "some element is x".
                exactness = Exactness::Recheck;
            }
            PathStep::Index(_) | PathStep::Nowhere => return ResolvedPath::Absent,
        }
    }
    ResolvedPath::Path(path, exactness)
}
