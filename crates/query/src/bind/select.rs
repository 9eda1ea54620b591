//! The select list.
//!
//! Owns the rules of `SELECT *`, the names of the output's properties and the rule that they are unique.

use std::collections::HashSet;

use super::binder::{Binder, ClauseContext};
use super::bound::Expression;
use super::bound::{Grouping, Output, OutputProjection, OutputProperty};
use crate::ast::{Literal, MemberStep, QueryTree, Scalar, ScalarKind, SelectItem, Selection, Span};
use crate::error::text;

/// Up to this many properties, a linear search for duplicates is cheaper than a set.
const FEW_PROPERTIES: usize = 16;

impl Binder<'_> {
    pub(super) fn output(&mut self, query: &QueryTree, grouping: &Grouping) -> Output {
        let groups = *grouping != Grouping::None;
        self.frame.clause =
            if groups { ClauseContext::Groups } else { ClauseContext::Row("SELECT") };
        self.set_grouped(groups);
        let projection = match &query.select.selection {
            Selection::Star(span) => self.star(query, *span),
            Selection::Value(expression) => OutputProjection::Value(self.scalar(expression)),
            Selection::List(items) => OutputProjection::Object(self.properties(items)),
        };
        // ORDER BY is bound next and sees the inputs again.
        self.set_grouped(false);
        Output { distinct: query.select.distinct, projection }
    }

    fn star(&mut self, query: &QueryTree, span: Span) -> OutputProjection {
        if !query.group_by.is_empty() {
            self.errors.push(text::star_with_group_by(span.0));
        }
        match &query.from {
            None => self.errors.push(text::star_without_from()),
            Some(from) if !from.joins.is_empty() => {
                self.errors.push(text::star_with_several_inputs());
            }
            Some(_) => {}
        }
        // The first input of this query; without FROM there is none, but then an error was reported.
        OutputProjection::Input(self.frame.base)
    }

    fn properties(&mut self, items: &[SelectItem]) -> Vec<OutputProperty> {
        let mut many = (items.len() > FEW_PROPERTIES).then(HashSet::new);
        let mut unnamed = 0;
        let mut properties: Vec<OutputProperty> = Vec::with_capacity(items.len());
        for item in items {
            let (name, span) = match property_name(item) {
                Some((name, span)) => (name.to_owned(), span),
                None => {
                    // Expressions without a name are numbered from 1; named ones do not count.
                    unnamed += 1;
                    (format!("${unnamed}"), item.expression.span)
                }
            };
            let is_new = match &mut many {
                Some(names) => names.insert(name.clone()),
                None => properties.iter().all(|known| known.name != name),
            };
            if !is_new {
                self.errors.push(text::duplicate_property(span.0, &name));
            }
            properties.push(OutputProperty { name, expression: self.scalar(&item.expression) });
        }
        properties
    }

    /// Binds an expression in a clause that sees single rows.
    pub(super) fn bind_in_clause(&mut self, clause: &'static str, scalar: &Scalar) -> Expression {
        self.frame.clause = ClauseContext::Row(clause);
        self.scalar(scalar)
    }

    /// Sets whether the inputs of the query are visible only through its groups.
    pub(super) fn set_grouped(&mut self, is_grouped: bool) {
        for visible in self.scope.iter_mut().skip(self.frame.base) {
            visible.is_grouped = is_grouped;
        }
    }
}

/// The name of a select item and its location: the alias, or the last name of a path.
fn property_name(item: &SelectItem) -> Option<(&str, Span)> {
    if let Some(alias) = &item.alias {
        return Some((&alias.text, alias.span));
    }
    match &item.expression.kind {
        ScalarKind::Identifier(name) => Some((name, item.expression.span)),
        ScalarKind::Member(member) => match member.steps.last()? {
            MemberStep::Property(name) => Some((&name.text, name.span)),
            MemberStep::Index(index) => match &index.kind {
                ScalarKind::Literal(Literal::String(name)) => Some((name, index.span)),
                _ => None,
            },
        },
        _ => None,
    }
}
