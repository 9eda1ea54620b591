//! Expressions.
//!
//! Owns the binding of each form, above all of aliases and paths. Calls are in `call`, aggregates in `aggregate`.

use super::binder::{Binder, ClauseContext, Nesting};
use super::bound::{Expression, PathStep};
use super::equivalence::is_equivalent;
use model::Json;

use crate::ast::{Literal, Member, MemberStep, ObjectMember, Scalar, ScalarKind, SubqueryKind};
use crate::error::text;
use crate::printer::print_scalar;

impl Binder<'_> {
    pub(super) fn scalar(&mut self, scalar: &Scalar) -> Expression {
        // In a query with groups an expression that equals a GROUP BY expression is that key, at any depth.
        if self.frame.clause == ClauseContext::Groups
            && let Some(key) = self.frame.group_by.iter().position(|key| is_equivalent(key, scalar))
        {
            return Expression::GroupKey(key);
        }
        match &scalar.kind {
            ScalarKind::Literal(literal) => Expression::Literal(literal.clone()),
            ScalarKind::Parameter(name) => self.parameter(name),
            ScalarKind::Identifier(name) => self.identifier(name, scalar, scalar),
            ScalarKind::Member(member) => self.member(member, scalar),
            ScalarKind::Object(members) => self.object(members),
            ScalarKind::Array(elements) => Expression::Array(self.scalars(elements)),
            ScalarKind::Call { function, arguments } => self.call(function, arguments, scalar.span),
            ScalarKind::UdfCall { function, arguments } => {
                // Each call counts towards the limit, also a repeated one.
                self.udf_calls.push(function.text.clone());
                let arguments = self.scalars(arguments);
                Expression::UdfCall { function: function.text.clone(), arguments }
            }
            ScalarKind::Subquery { kind, query } => {
                let query = Box::new(self.query(query, Nesting::Correlated));
                self.has_scalar_rows |=
                    *kind == SubqueryKind::Scalar && query.can_return_several_rows();
                Expression::Subquery { kind: *kind, query }
            }
            _ => self.operator(scalar),
        }
    }

    /// Binds the forms with operators.
    fn operator(&mut self, scalar: &Scalar) -> Expression {
        match &scalar.kind {
            ScalarKind::Unary { operator, operand } => {
                Expression::Unary { operator: *operator, operand: self.boxed(operand) }
            }
            ScalarKind::Chain { first, rest } => {
                let first = self.boxed(first);
                let rest =
                    rest.iter().map(|(operator, right)| (*operator, self.scalar(right))).collect();
                Expression::Chain { first, rest }
            }
            ScalarKind::Coalesce(operands) => Expression::Coalesce(self.scalars(operands)),
            ScalarKind::Conditional { branches, otherwise } => {
                let branches = branches
                    .iter()
                    .map(|branch| (self.scalar(&branch.condition), self.scalar(&branch.value)))
                    .collect();
                Expression::Conditional { branches, otherwise: self.boxed(otherwise) }
            }
            ScalarKind::Between { negation, value, low, high } => Expression::Between {
                negation: *negation,
                value: self.boxed(value),
                low: self.boxed(low),
                high: self.boxed(high),
            },
            ScalarKind::In { negation, value, list } => Expression::In {
                negation: *negation,
                value: self.boxed(value),
                list: self.scalars(list),
            },
            ScalarKind::Like { negation, value, pattern, escape } => Expression::Like {
                negation: *negation,
                value: self.boxed(value),
                pattern: self.boxed(pattern),
                escape: *escape,
            },
            // Not reached: `scalar` handles all other forms.
            _ => Expression::UNDEFINED,
        }
    }

    fn boxed(&mut self, scalar: &Scalar) -> Box<Expression> {
        Box::new(self.scalar(scalar))
    }

    pub(super) fn scalars(&mut self, scalars: &[Scalar]) -> Vec<Expression> {
        scalars.iter().map(|scalar| self.scalar(scalar)).collect()
    }

    /// Copies the value of a parameter. Each use is a copy, so that a text that repeats a large parameter would exceed
    /// all memory before the query runs: the sum is limited.
    fn parameter(&mut self, name: &str) -> Expression {
        let Some(value) = self.parameters.value(name) else { return Expression::UNDEFINED };
        // Once the limit is reached, nothing is measured either: that would take as long.
        if self.parameter_bytes > PARAMETER_BYTES_MAX {
            return Expression::UNDEFINED;
        }
        self.parameter_bytes += json_bytes(value);
        if self.parameter_bytes > PARAMETER_BYTES_MAX {
            self.errors.push(text::parameters_too_large(name, PARAMETER_BYTES_MAX));
            return Expression::UNDEFINED;
        }
        Expression::Parameter(value.clone())
    }

    /// Binds an alias; `whole` is the path that starts with it, for the error message.
    fn identifier(&mut self, name: &str, scalar: &Scalar, whole: &Scalar) -> Expression {
        let Some(slot) = self.slot(name) else {
            self.errors.push(text::unresolved(scalar.span.0, name));
            return Expression::UNDEFINED;
        };
        if self.scope.get(slot).is_some_and(|visible| visible.is_grouped) {
            self.errors.push(text::ungrouped_property(whole.span.0, &print_scalar(whole)));
        }
        Expression::Input(slot)
    }

    fn member(&mut self, member: &Member, scalar: &Scalar) -> Expression {
        let steps: Vec<PathStep> =
            member.steps.iter().map(|step| self.step(step, scalar)).collect();
        // `GROUP BY c.a` makes `c.a.b` a path below the group key.
        if let Some((key, taken)) = self.group_key_prefix(member) {
            let target = Box::new(Expression::GroupKey(key));
            return Expression::Member { target, steps: steps.into_iter().skip(taken).collect() };
        }
        let target = match &member.target.kind {
            ScalarKind::Identifier(name) => self.identifier(name, &member.target, scalar),
            _ => self.scalar(&member.target),
        };
        match self.computed_property(&target, &steps) {
            // The expression replaces the first step. The remaining steps go on from its result.
            Some(computed) if steps.len() == 1 => computed,
            Some(computed) => {
                let steps = steps.into_iter().skip(1).collect();
                Expression::Member { target: Box::new(computed), steps }
            }
            None => Expression::Member { target: Box::new(target), steps },
        }
    }

    /// The expression of a computed property, if a path from an item starts with one.
    fn computed_property(&self, target: &Expression, steps: &[PathStep]) -> Option<Expression> {
        match (target, steps.first()) {
            (Expression::Input(slot), Some(PathStep::Property(name)))
                if self.scope.get(*slot).is_some_and(|known| known.is_item) =>
            {
                self.computed.expression(name, *slot)
            }
            _ => None,
        }
    }

    /// The GROUP BY expression that a path starts with, and the number of steps it covers; an alias alone covers none.
    fn group_key_prefix(&self, member: &Member) -> Option<(usize, usize)> {
        if self.frame.clause != ClauseContext::Groups {
            return None;
        }
        self.frame.group_by.iter().enumerate().find_map(|(index, key)| match &key.kind {
            // Equal lengths are the key itself, which `scalar` has found before.
            ScalarKind::Member(prefix) if prefix.steps.len() < member.steps.len() => {
                let head: Vec<MemberStep> =
                    member.steps.iter().take(prefix.steps.len()).cloned().collect();
                let head = Member { target: member.target.clone(), steps: head };
                let head = Scalar::new(ScalarKind::Member(head), member.target.span);
                is_equivalent(key, &head).then_some((index, prefix.steps.len()))
            }
            _ => is_equivalent(key, &member.target).then_some((index, 0)),
        })
    }

    /// Binds a step of a path. Its index must not depend on the row.
    fn step(&mut self, step: &MemberStep, whole: &Scalar) -> PathStep {
        let index = match step {
            MemberStep::Property(name) => return PathStep::Property(name.text.clone()),
            MemberStep::Index(index) => index,
        };
        match &index.kind {
            ScalarKind::Literal(Literal::String(name)) => PathStep::Property(name.clone()),
            ScalarKind::Literal(Literal::Integer(index)) => PathStep::Index(*index),
            // `c[true]` and `c[1.5]` are legal and undefined.
            ScalarKind::Literal(_) => PathStep::Nowhere,
            ScalarKind::Parameter(name) => match self.parameters.value(name) {
                Some(Json::String(name)) => PathStep::Property(name.clone()),
                Some(value) => value.as_i64().map_or(PathStep::Nowhere, PathStep::Index),
                None => PathStep::Nowhere,
            },
            _ => {
                self.errors.push(text::member_indexer(whole.span.0));
                PathStep::Nowhere
            }
        }
    }

    fn object(&mut self, members: &[ObjectMember]) -> Expression {
        let mut names = std::collections::HashSet::new();
        let mut bound = Vec::new();
        for ObjectMember { name, value } in members {
            if !names.insert(name.text.as_str()) {
                self.errors.push(text::duplicate_property(name.span.0, &name.text));
            }
            bound.push((name.text.clone(), self.scalar(value)));
        }
        Expression::Object(bound)
    }
}

/// The size of all uses of parameters in a query: several times that of the largest request.
const PARAMETER_BYTES_MAX: usize = 16 << 20;

/// The size of a value as a tree, at least that of its text.
fn json_bytes(value: &Json) -> usize {
    let below: usize = match value {
        Json::String(text) => text.len(),
        Json::Array(elements) => elements.iter().map(json_bytes).sum(),
        Json::Object(object) => {
            object.iter().map(|(name, value)| name.len() + json_bytes(value)).sum()
        }
        _ => 0,
    };
    size_of::<Json>() + below
}
