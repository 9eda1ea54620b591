//! Which values of an item a query looks at.
//!
//! Owns the list of paths, so that an index which holds all of them can stand in for the item. Does not own whether such
//! an index exists.

use model::IndexPathSegment;

use super::condition::ItemPath;
use crate::bind::{BoundQuery, Expression, Grouping, Input, Ordering, PathStep, Projection};

/// The paths of all values that a query over single items looks at; none when it may look at anything: it names the
/// whole item, joins, has subqueries, or counts elements.
#[must_use]
pub fn needed_paths(query: &BoundQuery) -> Option<Vec<ItemPath>> {
    let [source] = query.sources.as_slice() else {
        return None;
    };
    if source.root != Input::Container || !source.path.is_empty() || source.iterates {
        return None;
    }
    let mut needed = Needed { slot: source.slot, paths: Vec::new() };
    needed.query(query)?;
    Some(needed.paths)
}

struct Needed {
    slot: usize,
    paths: Vec<ItemPath>,
}

impl Needed {
    fn query(&mut self, query: &BoundQuery) -> Option<()> {
        self.all(query.filter.iter())?;
        if let Grouping::By(keys) = &query.grouping {
            self.all(keys)?;
        }
        self.all(query.aggregates.iter().map(|aggregate| &aggregate.argument))?;
        match &query.output.projection {
            Projection::Input(_) => return None,
            Projection::Value(expression) => self.expression(expression)?,
            Projection::Object(properties) => {
                self.all(properties.iter().map(|property| &property.expression))?;
            }
        }
        match &query.order_by {
            Ordering::None => Some(()),
            Ordering::Keys(keys) => self.all(keys.iter().map(|key| &key.expression)),
            Ordering::Rank(_) => None,
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
            Expression::Literal(_)
            | Expression::Parameter(_)
            | Expression::GroupKey(_)
            | Expression::Aggregate(_) => Some(()),
            Expression::Input(_) | Expression::Subquery { .. } => None,
            Expression::Member { target, steps } => match target.as_ref() {
                Expression::Input(slot) if *slot == self.slot => self.path(steps),
                other => self.expression(other),
            },
            Expression::Unary { operand, .. } => self.expression(operand),
            Expression::Chain { first, rest } => {
                self.expression(first)?;
                self.all(rest.iter().map(|(_, operand)| operand))
            }
            Expression::Coalesce(parts) | Expression::Array(parts) => self.all(parts),
            Expression::Conditional { branches, otherwise } => {
                for (condition, value) in branches {
                    self.all([condition, value])?;
                }
                self.expression(otherwise)
            }
            Expression::Between { value, low, high, .. } => {
                self.all([value.as_ref(), low.as_ref(), high.as_ref()])
            }
            Expression::In { value, list, .. } => {
                self.expression(value)?;
                self.all(list)
            }
            Expression::Like { value, pattern, .. } => self.all([value.as_ref(), pattern.as_ref()]),
            Expression::Object(members) => self.all(members.iter().map(|(_, value)| value)),
            Expression::Call { arguments, .. } | Expression::UdfCall { arguments, .. } => {
                self.all(arguments)
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
