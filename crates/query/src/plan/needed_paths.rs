//! Which values of an item a query reads.
//!
//! Owns the list of paths, so that an index that holds all of them can replace the item. Does not own whether such an
//! index exists.

use model::IndexPathSegment;

use super::condition::ItemPath;
use crate::bind::{
    BoundOrderBy, BoundQuery, Expression, Grouping, Input, OutputProjection, PathStep,
};

/// The paths of all values that a query over single items reads; `None` if it may read anything: it uses the whole
/// item, joins, has subqueries, or indexes into arrays.
#[must_use]
pub fn needed_paths(query: &BoundQuery) -> Option<Vec<ItemPath>> {
    let [source] = query.sources.as_slice() else {
        return None;
    };
    if source.root != Input::Container || !source.path.is_empty() || source.iterates {
        return None;
    }
    let mut collector = PathCollector { slot: source.slot, paths: Vec::new() };
    collector.query(query)?;
    Some(collector.paths)
}

struct PathCollector {
    slot: usize,
    paths: Vec<ItemPath>,
}

impl PathCollector {
    fn query(&mut self, query: &BoundQuery) -> Option<()> {
        self.all(query.filter.iter())?;
        if let Grouping::By(keys) = &query.grouping {
            self.all(keys)?;
        }
        self.all(query.aggregates.iter().map(|aggregate| &aggregate.argument))?;
        match &query.output.projection {
            OutputProjection::Input(_) => return None,
            OutputProjection::Value(expression) => self.expression(expression)?,
            OutputProjection::Object(properties) => {
                self.all(properties.iter().map(|property| &property.expression))?;
            }
        }
        match &query.order_by {
            BoundOrderBy::None => Some(()),
            BoundOrderBy::Keys(keys) => self.all(keys.iter().map(|key| &key.expression)),
            BoundOrderBy::Rank(_) => None,
        }
    }

    fn all<'query>(
        &mut self,
        expressions: impl IntoIterator<Item = &'query Expression>,
    ) -> Option<()> {
        expressions.into_iter().try_for_each(|expression| self.expression(expression))
    }

    fn expression(&mut self, expression: &Expression) -> Option<()> {
        match expression {
            Expression::Member { target, steps } if **target == Expression::Input(self.slot) => {
                self.path(steps)
            }
            // The whole item, or a subquery over its arrays: an index cannot provide either.
            Expression::Input(_) | Expression::Subquery { .. } => None,
            _ => {
                let mut result = Some(());
                expression.for_each_child(&mut |part| {
                    result = result.and_then(|()| self.expression(part));
                });
                result
            }
        }
    }

    fn path(&mut self, steps: &[PathStep]) -> Option<()> {
        let segments: Option<ItemPath> = steps
            .iter()
            .map(|step| match step {
                PathStep::Property(name) => Some(IndexPathSegment::Property(name.clone())),
                PathStep::Index(_) | PathStep::Nowhere => None,
            })
            .collect();
        let path = segments?;
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
        Some(())
    }
}
