//! Aggregates and groups.
//!
//! Owns where aggregates are allowed, what they may contain, which queries have groups, and what GROUP BY accepts.

use super::binder::{Binder, ClauseContext};
use super::bound::AggregateCall;
use super::bound::Expression;
use super::catalog::FunctionKind;
use crate::ast::{Scalar, ScalarKind, Select, Selection, Span};
use crate::error::text;

impl Binder<'_> {
    /// Binds an aggregate: it is added to the list of its query, and the expression is its index there.
    pub(super) fn aggregate(
        &mut self,
        function: &'static str,
        arguments: &[Scalar],
        span: Span,
    ) -> Expression {
        // An aggregate of the outermost query is computed by every partition and merged, so its argument must be
        // simple. That of a subquery is computed for one item and may contain subqueries.
        let is_refused = |argument: &Scalar| match self.frame.is_subquery {
            true => self.contains_aggregate(argument),
            false => self.contains_aggregate_or_subquery(argument),
        };
        if arguments.iter().any(is_refused) {
            self.errors.push(text::nested_aggregate(span.0));
            // The argument is not bound: it would report the inner aggregate a second time.
            return Expression::UNDEFINED;
        }
        match self.frame.clause {
            ClauseContext::Groups => {}
            ClauseContext::Row(clause) => self.errors.push(text::misplaced_aggregate(clause)),
            ClauseContext::Rank => self.errors.push(text::misplaced_aggregate("ORDER BY RANK")),
        }
        // The argument sees single rows, whatever clause the aggregate is in.
        let clause = std::mem::replace(&mut self.frame.clause, ClauseContext::Row("SELECT"));
        self.set_grouped(false);
        let argument = arguments.first().map_or(Expression::UNDEFINED, |first| self.scalar(first));
        // Not simply `true`: a misplaced aggregate in WHERE must not make the inputs grouped for the rest of the
        // clause.
        self.set_grouped(clause == ClauseContext::Groups);
        self.frame.clause = clause;
        let aggregate = AggregateCall { function, argument };
        // `COUNT(1)` written twice is computed once.
        let known = self.frame.aggregates.iter().position(|known| *known == aggregate);
        Expression::Aggregate(known.unwrap_or_else(|| {
            self.frame.aggregates.push(aggregate);
            self.frame.aggregates.len() - 1
        }))
    }

    /// Whether a select list contains an aggregate of its own query.
    pub(super) fn selects_aggregate(&self, select: &Select) -> bool {
        match &select.selection {
            Selection::Star(_) => false,
            Selection::Value(expression) => self.contains_aggregate(expression),
            Selection::List(items) => {
                items.iter().any(|item| self.contains_aggregate(&item.expression))
            }
        }
    }

    /// Binds one expression of GROUP BY.
    pub(super) fn group_key(&mut self, key: &Scalar) -> Expression {
        if key.any(&|scalar| matches!(scalar.kind, ScalarKind::Subquery { .. })) {
            self.errors.push(text::subquery_in_group_by());
        // Without an alias the key is the same for every row.
        } else if !key.any(&|scalar| matches!(scalar.kind, ScalarKind::Identifier(_))) {
            self.errors.push(text::constant_in_group_by());
        }
        self.bind_in_clause("GROUP BY", key)
    }

    fn contains_aggregate(&self, scalar: &Scalar) -> bool {
        // `any` does not enter subqueries: their aggregates belong to them.
        scalar.any(&|part| self.is_aggregate(part))
    }

    fn contains_aggregate_or_subquery(&self, scalar: &Scalar) -> bool {
        scalar.any(&|part| {
            matches!(part.kind, ScalarKind::Subquery { .. }) || self.is_aggregate(part)
        })
    }

    fn is_aggregate(&self, scalar: &Scalar) -> bool {
        match &scalar.kind {
            ScalarKind::Call { function, .. } => {
                let signature = self.catalog.find(&function.text);
                signature.is_some_and(|signature| signature.kind == FunctionKind::Aggregate)
            }
            _ => false,
        }
    }
}
