//! ORDER BY.
//!
//! Owns the rule that rows are ordered by a path of the item, because only an index can provide an order. Exceptions
//! are a vector distance and the scores of rewritten queries. A query with groups may name a path of any input: there
//! the clause is passed on to the partitions.

use super::binder::{Binder, ClauseContext};
use super::bound::{
    BoundOrderBy, BoundQuery, BoundSource, Grouping, Input, OrderKey, OutputProjection,
};
use super::bound::{Expression, PathStep};
use super::call::VECTOR_DISTANCE;
use super::equivalence::is_equivalent;
use crate::ast::{OrderBy, OrderItem, QueryTree, Scalar, ScalarKind};
use crate::error::text;

/// Functions that rewritten queries order by.
const REWRITTEN_SCORES: [&str; 2] = ["_FullTextScore", "_VectorScore"];

impl Binder<'_> {
    pub(super) fn ordering(
        &mut self,
        query: &QueryTree,
        sources: &[BoundSource],
        grouping: &Grouping,
    ) -> BoundOrderBy {
        match &query.order_by {
            None => BoundOrderBy::None,
            Some(OrderBy::Rank(scores, span)) => self.rank(scores, *span),
            Some(OrderBy::Items(items, _)) => BoundOrderBy::Keys(
                items.iter().map(|item| self.order_key(item, sources, grouping)).collect(),
            ),
        }
    }

    fn order_key(
        &mut self,
        item: &OrderItem,
        sources: &[BoundSource],
        grouping: &Grouping,
    ) -> OrderKey {
        let order = item.direction.as_ref().map(|direction| direction.order);
        if self.is_order_score(&item.expression) {
            // A distance is sorted by its kind, nearest first; the scores of rewritten queries have a direction.
            if order.is_some() && self.calls(&item.expression, &[VECTOR_DISTANCE]) {
                self.errors.push(text::distance_direction());
            }
            let expression = self.bind_in_clause("ORDER BY", &item.expression);
            return OrderKey { expression, path: None, is_computed: false, order };
        }
        // Not bound: errors inside an expression that is refused as a whole do not help.
        if !is_path(&item.expression) {
            self.errors.push(text::order_by_expression());
            let expression = Expression::UNDEFINED;
            return OrderKey { expression, path: None, is_computed: false, order };
        }
        let bound = self.bind_in_clause("ORDER BY", &item.expression);
        let is_computed = is_computed(&bound);
        let path = if is_computed { None } else { self.item_path(&bound, sources, grouping) };
        // Rows of a query with groups have no inputs: the key of the group is ordered by instead.
        let key = self.frame.group_by.iter().position(|key| is_equivalent(key, &item.expression));
        let expression = key.map_or(bound, Expression::GroupKey);
        OrderKey { expression, path, is_computed, order }
    }

    /// The path inside an item that an expression refers to; reports an error if there is none.
    fn item_path(
        &mut self,
        expression: &Expression,
        sources: &[BoundSource],
        grouping: &Grouping,
    ) -> Option<Vec<PathStep>> {
        let (slot, steps): (usize, &[PathStep]) = match expression {
            Expression::Input(slot) => (*slot, &[]),
            Expression::Member { target, steps } => match target.as_ref() {
                Expression::Input(slot) => (*slot, steps),
                // The alias could not be resolved, which has been reported.
                _ => return None,
            },
            _ => return None,
        };
        let source = sources.iter().find(|source| source.slot == slot)?;
        let path = path_below_source(source, steps.to_vec());
        // The item itself has no index term to order by.
        let is_indexed =
            |path: &Vec<PathStep>| !path.is_empty() && !path.contains(&PathStep::Nowhere);
        if let Some(path) = path.filter(is_indexed) {
            return Some(path);
        }
        // With groups the clause is only passed on to the partitions, so a path of any input is accepted.
        if *grouping == Grouping::None {
            let is_correlated = source.iterates || matches!(source.root, Input::Slot(_));
            self.errors.push(if is_correlated {
                text::order_by_correlated()
            } else {
                text::order_by_expression()
            });
        }
        None
    }

    fn is_order_score(&self, scalar: &Scalar) -> bool {
        match &scalar.kind {
            ScalarKind::Call { function, .. } => {
                self.catalog.find(&function.text).is_some_and(|signature| {
                    signature.name.eq_ignore_ascii_case(VECTOR_DISTANCE)
                        || REWRITTEN_SCORES
                            .iter()
                            .any(|score| signature.name.eq_ignore_ascii_case(score))
                })
            }
            _ => false,
        }
    }

    /// Binds the scores of ORDER BY RANK, which are allowed nowhere else.
    pub(super) fn scores(&mut self, scores: &[Scalar]) -> Vec<Expression> {
        self.frame.clause = ClauseContext::Rank;
        self.scalars(scores)
    }
}

/// The path inside an item that leads to `steps` below an input; `None` if it does not start at an item. A query in
/// FROM is followed through its projection: `s.x` of `(SELECT c.a AS x FROM c) s` is the path `a`.
fn path_below_source(source: &BoundSource, steps: Vec<PathStep>) -> Option<Vec<PathStep>> {
    if source.iterates {
        return None;
    }
    let steps: Vec<PathStep> = source.path.iter().cloned().chain(steps).collect();
    match &source.root {
        Input::Container => Some(steps),
        Input::Slot(_) => None,
        // Groups are not items. DISTINCT rows are values of items, so the order of the items is theirs.
        Input::Query(query) if query.grouping != Grouping::None => None,
        Input::Query(query) => match &query.output.projection {
            OutputProjection::Input(slot) => path_below_slot(query, *slot, steps),
            OutputProjection::Value(value) => path_below(query, value, steps),
            OutputProjection::Object(properties) => {
                let (name, rest) = first_property(&steps)?;
                let property = properties.iter().find(|property| property.name == *name)?;
                path_below(query, &property.expression, rest)
            }
        },
    }
}

/// The same below an expression of a query.
fn path_below(
    query: &BoundQuery,
    expression: &Expression,
    steps: Vec<PathStep>,
) -> Option<Vec<PathStep>> {
    match expression {
        Expression::Input(slot) => path_below_slot(query, *slot, steps),
        Expression::Member { target, steps: more } => {
            path_below(query, target, more.iter().cloned().chain(steps).collect())
        }
        Expression::Object(members) => {
            let (name, rest) = first_property(&steps)?;
            let (_, value) = members.iter().find(|(member, _)| member == name)?;
            path_below(query, value, rest)
        }
        _ => None,
    }
}

fn path_below_slot(query: &BoundQuery, slot: usize, steps: Vec<PathStep>) -> Option<Vec<PathStep>> {
    let source = query.sources.iter().find(|source| source.slot == slot)?;
    path_below_source(source, steps)
}

fn first_property(steps: &[PathStep]) -> Option<(&String, Vec<PathStep>)> {
    match steps.split_first()? {
        (PathStep::Property(name), rest) => Some((name, rest.to_vec())),
        _ => None,
    }
}

/// Whether a path was bound to something other than a path, which means that it names a computed property. What could
/// not be bound is an undefined literal.
fn is_computed(bound: &Expression) -> bool {
    let start = match bound {
        Expression::Member { target, .. } => target,
        other => other,
    };
    !matches!(start, Expression::Input(_) | Expression::Literal(_))
}

/// Whether an expression is an alias or a path below one.
fn is_path(scalar: &Scalar) -> bool {
    match &scalar.kind {
        ScalarKind::Identifier(_) => true,
        ScalarKind::Member(member) => matches!(member.target.kind, ScalarKind::Identifier(_)),
        _ => false,
    }
}
