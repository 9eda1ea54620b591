//! ORDER BY.
//!
//! Owns the rule that rows are ordered by a path of the item, because only an index can provide an order. Exceptions
//! are a vector distance and the scores of rewritten queries. A query with groups may name a path of any input: there
//! the clause is passed on to the partitions.

use super::binder::{Binder, ClauseContext};
use super::bound::{BoundOrderBy, BoundSource, Grouping, Input, OrderKey};
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
            Some(OrderBy::Rank(scores, _)) => self.rank(query.from.as_ref(), scores),
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
        let starts_at_item = source.root == Input::Container && !source.iterates;
        let path: Vec<PathStep> = source.path.iter().chain(steps).cloned().collect();
        // The item itself has no index term to order by.
        if starts_at_item && !path.is_empty() && !path.contains(&PathStep::Nowhere) {
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
