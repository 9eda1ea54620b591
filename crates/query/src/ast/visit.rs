//! Visiting the children of an expression.
//!
//! Owns the one traversal of every form. Does not enter subqueries: they are queries of their own.

use super::{Literal, MemberStep, Scalar, ScalarKind};

impl Scalar {
    /// Calls `visit` with each direct child of this expression.
    pub(crate) fn for_each_child<'tree>(&'tree self, visit: &mut dyn FnMut(&'tree Self)) {
        match &self.kind {
            ScalarKind::Literal(_)
            | ScalarKind::Parameter(_)
            | ScalarKind::Identifier(_)
            | ScalarKind::Subquery { .. } => {}
            ScalarKind::Member(member) => {
                visit(&member.target);
                for step in &member.steps {
                    if let MemberStep::Index(index) = step {
                        visit(index);
                    }
                }
            }
            ScalarKind::Unary { operand, .. } => visit(operand),
            ScalarKind::Chain { first, rest } => {
                visit(first);
                rest.iter().for_each(|(_, operand)| visit(operand));
            }
            ScalarKind::Conditional { branches, otherwise } => {
                for branch in branches {
                    visit(&branch.condition);
                    visit(&branch.value);
                }
                visit(otherwise);
            }
            ScalarKind::Between { value, low, high, .. } => {
                visit(value);
                visit(low);
                visit(high);
            }
            ScalarKind::In { value, list, .. } => {
                visit(value);
                list.iter().for_each(visit);
            }
            ScalarKind::Like { value, pattern, .. } => {
                visit(value);
                visit(pattern);
            }
            ScalarKind::Object(members) => members.iter().for_each(|member| visit(&member.value)),
            ScalarKind::Coalesce(parts)
            | ScalarKind::Array(parts)
            | ScalarKind::Call { arguments: parts, .. }
            | ScalarKind::UdfCall { arguments: parts, .. } => parts.iter().for_each(visit),
        }
    }

    /// Whether a predicate holds for the expression or one of its descendants.
    pub(crate) fn any(&self, has: &dyn Fn(&Self) -> bool) -> bool {
        let mut found = has(self);
        self.for_each_child(&mut |part| found = found || part.any(has));
        found
    }
}

impl MemberStep {
    /// The property that a step leads to, written as `.name` or `["name"]`.
    pub(crate) fn property(&self) -> Option<&str> {
        match self {
            Self::Property(name) => Some(&name.text),
            Self::Index(Scalar { kind: ScalarKind::Literal(Literal::String(name)), .. }) => {
                Some(name)
            }
            Self::Index(_) => None,
        }
    }
}
