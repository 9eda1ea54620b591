//! The parts of an expression.
//!
//! Owns the one walk into every form. Does not enter subqueries: they are queries of their own.

use super::{Literal, Scalar, ScalarKind, Step};

impl Scalar {
    /// Shows each expression that stands directly inside this one.
    pub(crate) fn each_part<'tree>(&'tree self, show: &mut dyn FnMut(&'tree Self)) {
        match &self.kind {
            ScalarKind::Literal(_)
            | ScalarKind::Parameter(_)
            | ScalarKind::Identifier(_)
            | ScalarKind::Subquery { .. } => {}
            ScalarKind::Member(member) => {
                show(&member.target);
                for step in &member.steps {
                    if let Step::Index(index) = step {
                        show(index);
                    }
                }
            }
            ScalarKind::Unary { operand, .. } => show(operand),
            ScalarKind::Chain { first, rest } => {
                show(first);
                rest.iter().for_each(|(_, operand)| show(operand));
            }
            ScalarKind::Conditional { branches, otherwise } => {
                for branch in branches {
                    show(&branch.condition);
                    show(&branch.value);
                }
                show(otherwise);
            }
            ScalarKind::Between { value, low, high, .. } => {
                show(value);
                show(low);
                show(high);
            }
            ScalarKind::In { value, list, .. } => {
                show(value);
                list.iter().for_each(show);
            }
            ScalarKind::Like { value, pattern, .. } => {
                show(value);
                show(pattern);
            }
            ScalarKind::Object(members) => members.iter().for_each(|member| show(&member.value)),
            ScalarKind::Coalesce(parts)
            | ScalarKind::Array(parts)
            | ScalarKind::Call { arguments: parts, .. }
            | ScalarKind::UdfCall { arguments: parts, .. } => parts.iter().for_each(show),
        }
    }

    /// Whether the expression or one of its parts has a property.
    pub(crate) fn any(&self, has: &dyn Fn(&Self) -> bool) -> bool {
        let mut found = has(self);
        self.each_part(&mut |part| found = found || part.any(has));
        found
    }
}

impl Step {
    /// The property a step leads to, however it is written.
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
