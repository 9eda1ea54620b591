//! Answers without items.
//!
//! Owns which queries could be answered from terms alone: counts, extremes, distinct values and groups, and rows made
//! of indexed values. A term that does not hold its value (an array, an object, a long text) still needs its item.

use super::policy::Indexes;
use crate::bind::{BoundOrderBy, BoundQuery, Expression, Grouping, Input, Projection};
use crate::evaluate::constant;
use crate::plan::condition::{Exactness, ItemPath, PathScope, ResolvedPath};

/// What can be answered without reading an item.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexOnly {
    /// How many items the lookup finds.
    Count,
    /// How many of them have a value at a path.
    CountOf(ItemPath),
    /// The least or the greatest value at a path.
    Extreme {
        /// The path.
        path: ItemPath,
        /// Whether the greatest is asked for.
        is_greatest: bool,
    },
    /// The different values at these paths.
    Distinct(Vec<ItemPath>),
    /// Groups by the values at these paths; all aggregates are over indexed paths too.
    Groups(Vec<ItemPath>),
    /// Rows that are made of the values at these paths.
    Values(Vec<ItemPath>),
}

/// The path of a query that sums one path up.
pub(super) fn aggregated_path(query: &BoundQuery, scope: &PathScope) -> Option<ItemPath> {
    match query.aggregates.as_slice() {
        [only] if matches!(only.function, "SUM" | "AVG") && query.grouping == Grouping::Whole => {
            path(&only.argument, scope)
        }
        _ => None,
    }
}

pub(super) fn index_only(
    query: &BoundQuery,
    scope: &PathScope,
    indexes: &Indexes,
    remaining: &[Expression],
) -> Option<IndexOnly> {
    let [source] = query.sources.as_slice() else {
        return None;
    };
    let is_item = source.root == Input::Container && source.path.is_empty() && !source.iterates;
    if !is_item || !remaining.is_empty() || matches!(query.order_by, BoundOrderBy::Rank(_)) {
        return None;
    }
    let reader = IndexOnlyPlanner { scope, indexes };
    match &query.grouping {
        Grouping::Whole => reader.whole(query),
        Grouping::By(keys) => {
            let aggregates = query.aggregates.iter().map(|aggregate| &aggregate.argument);
            reader.all(aggregates.filter(|argument| constant(argument).is_none()))?;
            reader.all(keys.iter()).map(IndexOnly::Groups)
        }
        Grouping::None => {
            let paths = reader.projection(&query.output.projection)?;
            match query.output.distinct {
                true if !paths.is_empty() => Some(IndexOnly::Distinct(paths)),
                _ => Some(IndexOnly::Values(paths)),
            }
        }
    }
}

struct IndexOnlyPlanner<'plan> {
    scope: &'plan PathScope,
    indexes: &'plan Indexes,
}

impl IndexOnlyPlanner<'_> {
    /// One aggregate over all items.
    fn whole(&self, query: &BoundQuery) -> Option<IndexOnly> {
        let [only] = query.aggregates.as_slice() else {
            return None;
        };
        match (only.function, constant(&only.argument)) {
            ("COUNT", Some(value)) if value.is_defined() => Some(IndexOnly::Count),
            ("COUNT", None) => self.path(&only.argument).map(IndexOnly::CountOf),
            ("MIN" | "MAX", None) => {
                let path = self.path(&only.argument)?;
                Some(IndexOnly::Extreme { path, is_greatest: only.function == "MAX" })
            }
            _ => None,
        }
    }

    fn projection(&self, projection: &Projection) -> Option<Vec<ItemPath>> {
        match projection {
            Projection::Input(_) => None,
            Projection::Value(expression) => self.all(std::iter::once(expression)),
            Projection::Object(properties) => {
                self.all(properties.iter().map(|one| &one.expression))
            }
        }
    }

    /// The paths of expressions that are paths or constants; none when another one is among them.
    fn all<'query>(
        &self,
        expressions: impl Iterator<Item = &'query Expression>,
    ) -> Option<Vec<ItemPath>> {
        expressions
            .filter(|expression| constant(expression).is_none())
            .map(|expression| self.path(expression))
            .collect()
    }

    /// An indexed path that means one value of an item.
    fn path(&self, expression: &Expression) -> Option<ItemPath> {
        path(expression, self.scope).filter(|path| self.indexes.covers(path))
    }
}

fn path(expression: &Expression, scope: &PathScope) -> Option<ItemPath> {
    match scope.resolve(expression)? {
        ResolvedPath::Path(path, Exactness::Exact) if !path.is_empty() => Some(path),
        _ => None,
    }
}
