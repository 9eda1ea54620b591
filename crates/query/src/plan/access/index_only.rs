//! Queries that need no items.
//!
//! Owns which queries can be answered from index terms alone: counts, minima and maxima, distinct values and groups,
//! and rows made of indexed values. A term that does not contain its value (an array, an object, a long string) still
//! needs its item.

use super::policy::Indexes;
use crate::bind::{BoundOrderBy, BoundQuery, Expression, Grouping, Input, OutputProjection};
use crate::evaluate::constant;
use crate::plan::condition::{Exactness, ItemPath, PathScope, ResolvedPath};

/// A result that can be computed without reading items.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexOnly {
    /// The number of items that the lookup finds.
    Count,
    /// The number of them that have a value at a path.
    CountOf(ItemPath),
    /// The minimum or maximum at a path.
    Extreme {
        /// The path.
        path: ItemPath,
        /// Whether it is the maximum.
        is_greatest: bool,
    },
    /// The distinct values at these paths.
    Distinct(Vec<ItemPath>),
    /// Groups by the values at these paths; all aggregates are over indexed paths as well.
    Groups(Vec<ItemPath>),
    /// Rows made of the values at these paths.
    Values(Vec<ItemPath>),
}

/// The path of a query that is the sum or average of one path.
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
    // A conjunct that is left over must be evaluated over the item, so the item is needed after all.
    if !is_item || !remaining.is_empty() || matches!(query.order_by, BoundOrderBy::Rank(_)) {
        return None;
    }
    let reader = IndexOnlyPlanner { scope, indexes };
    match &query.grouping {
        Grouping::Whole => reader.whole(query),
        Grouping::By(keys) => {
            let aggregates = query.aggregates.iter().map(|aggregate| &aggregate.argument);
            // Checked for its paths only: a group needs all values of its aggregates from terms as well.
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
    /// A single aggregate over all items.
    fn whole(&self, query: &BoundQuery) -> Option<IndexOnly> {
        let [only] = query.aggregates.as_slice() else {
            return None;
        };
        match (only.function, constant(&only.argument)) {
            // COUNT of a defined constant counts all items; COUNT(undefined) would count none.
            ("COUNT", Some(value)) if value.is_defined() => Some(IndexOnly::Count),
            ("COUNT", None) => self.path(&only.argument).map(IndexOnly::CountOf),
            ("MIN" | "MAX", None) => {
                let path = self.path(&only.argument)?;
                Some(IndexOnly::Extreme { path, is_greatest: only.function == "MAX" })
            }
            _ => None,
        }
    }

    fn projection(&self, projection: &OutputProjection) -> Option<Vec<ItemPath>> {
        match projection {
            OutputProjection::Input(_) => None,
            OutputProjection::Value(expression) => self.all(std::iter::once(expression)),
            OutputProjection::Object(properties) => {
                self.all(properties.iter().map(|one| &one.expression))
            }
        }
    }

    /// The paths of expressions that are paths or constants; `None` if there is any other expression.
    fn all<'query>(
        &self,
        expressions: impl Iterator<Item = &'query Expression>,
    ) -> Option<Vec<ItemPath>> {
        expressions
            .filter(|expression| constant(expression).is_none())
            .map(|expression| self.path(expression))
            .collect()
    }

    /// The indexed path of an expression, if it refers to exactly one value of an item.
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
