//! Aggregates and groups.
//!
//! Owns where aggregates may stand, what they may contain, which queries have groups, and what GROUP BY accepts.

use super::binder::{Binder, Place};
use super::bound::Aggregate;
use super::bound::Expression;
use super::catalog::FunctionKind;
use crate::ast::{Scalar, ScalarKind, Select, Selection, Span, Step};
use crate::error::text;

impl Binder<'_> {
    /// An aggregate: it joins the list of its query, and the expression is its place there.
    pub(super) fn aggregate(
        &mut self,
        function: &'static str,
        arguments: &[Scalar],
        span: Span,
    ) -> Expression {
        if arguments.iter().any(|argument| self.holds_aggregate_or_subquery(argument)) {
            self.errors.push(text::nested_aggregate(span.0));
            return Expression::UNDEFINED;
        }
        match self.frame.place {
            Place::Groups => {}
            Place::Row(clause) => self.errors.push(text::misplaced_aggregate(clause)),
            Place::Rank => self.errors.push(text::misplaced_aggregate("ORDER BY RANK")),
        }
        let place = std::mem::replace(&mut self.frame.place, Place::Row("SELECT"));
        self.show_groups(false);
        let argument = arguments.first().map_or(Expression::UNDEFINED, |first| self.scalar(first));
        self.show_groups(place == Place::Groups);
        self.frame.place = place;
        let aggregate = Aggregate { function, argument };
        let known = self.frame.aggregates.iter().position(|known| *known == aggregate);
        Expression::Aggregate(known.unwrap_or_else(|| {
            self.frame.aggregates.push(aggregate);
            self.frame.aggregates.len() - 1
        }))
    }

    /// Whether a select list holds an aggregate of its own query.
    pub(super) fn selects_aggregate(&self, select: &Select) -> bool {
        match &select.selection {
            Selection::Star(_) => false,
            Selection::Value(expression) => self.holds_aggregate(expression),
            Selection::List(items) => {
                items.iter().any(|item| self.holds_aggregate(&item.expression))
            }
        }
    }

    /// One expression of GROUP BY.
    pub(super) fn group_key(&mut self, key: &Scalar) -> Expression {
        if any(key, &|scalar| matches!(scalar.kind, ScalarKind::Subquery { .. })) {
            self.errors.push(text::subquery_in_group_by());
        } else if !any(key, &|scalar| matches!(scalar.kind, ScalarKind::Identifier(_))) {
            self.errors.push(text::constant_in_group_by());
        }
        self.placed("GROUP BY", key)
    }

    fn holds_aggregate(&self, scalar: &Scalar) -> bool {
        any(scalar, &|part| self.is_aggregate(part))
    }

    fn holds_aggregate_or_subquery(&self, scalar: &Scalar) -> bool {
        any(scalar, &|part| {
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

/// Whether an expression or one of its parts has a property. Subqueries are not entered: they are queries of their own.
fn any(scalar: &Scalar, has: &dyn Fn(&Scalar) -> bool) -> bool {
    let inside = |part: &Scalar| any(part, has);
    has(scalar)
        || match &scalar.kind {
            ScalarKind::Literal(_)
            | ScalarKind::Parameter(_)
            | ScalarKind::Identifier(_)
            | ScalarKind::Subquery { .. } => false,
            ScalarKind::Member(member) => {
                inside(&member.target)
                    || member.steps.iter().any(|step| match step {
                        Step::Property(_) => false,
                        Step::Index(index) => inside(index),
                    })
            }
            ScalarKind::Unary { operand, .. } => inside(operand),
            ScalarKind::Chain { first, rest } => {
                inside(first) || rest.iter().any(|(_, operand)| inside(operand))
            }
            ScalarKind::Coalesce(parts) | ScalarKind::Array(parts) => parts.iter().any(inside),
            ScalarKind::Conditional { branches, otherwise } => {
                inside(otherwise)
                    || branches
                        .iter()
                        .any(|branch| inside(&branch.condition) || inside(&branch.value))
            }
            ScalarKind::Between { value, low, high, .. } => {
                inside(value) || inside(low) || inside(high)
            }
            ScalarKind::In { value, list, .. } => inside(value) || list.iter().any(inside),
            ScalarKind::Like { value, pattern, .. } => inside(value) || inside(pattern),
            ScalarKind::Object(members) => members.iter().any(|member| inside(&member.value)),
            ScalarKind::Call { arguments, .. } | ScalarKind::UdfCall { arguments, .. } => {
                arguments.iter().any(inside)
            }
        }
}
