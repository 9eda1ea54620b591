//! Clauses.
//!
//! Owns the lines of a query and the layout of subqueries. The layout is that of recorded query plans.

use super::Printer;
use super::number::{WHOLE_MIN, whole_digits};
use crate::ast::{
    Count, CountKind, FromClause, Literal, OrderBy, OrderItem, QueryTree, SelectItem, Selection,
    Source, SourceForm, SourceRoot, SourceStep,
};
use crate::lexer::is_bare_name;

impl Printer {
    pub(super) fn query(&mut self, query: &QueryTree) {
        self.select(query);
        if let Some(from) = &query.from {
            self.from(from);
        }
        if let Some(filter) = &query.filter {
            self.line();
            self.push("WHERE ");
            self.scalar(filter);
        }
        if !query.group_by.is_empty() {
            self.line();
            self.push("GROUP BY ");
            self.list(&query.group_by, Self::scalar);
        }
        if let Some(order_by) = &query.order_by {
            self.order_by(order_by);
        }
        if let Some(offset_limit) = &query.offset_limit {
            self.line();
            self.push("OFFSET ");
            self.count(&offset_limit.offset);
            self.push(" LIMIT ");
            self.count(&offset_limit.limit);
        }
    }

    fn select(&mut self, query: &QueryTree) {
        self.push("SELECT ");
        if query.select.distinct {
            self.push("DISTINCT ");
        }
        if let Some(top) = &query.select.top {
            self.push("TOP ");
            self.count(&top.count);
            self.push(" ");
        }
        match &query.select.selection {
            Selection::Star(_) => self.push("*"),
            Selection::Value(expression) => {
                self.push("VALUE ");
                self.scalar(expression);
            }
            Selection::List(items) => self.list(items, Self::select_item),
        }
    }

    fn select_item(&mut self, item: &SelectItem) {
        self.scalar(&item.expression);
        if let Some(alias) = &item.alias {
            self.push(" AS ");
            if is_bare_name(&alias.text) {
                self.push(&alias.text);
            } else {
                self.quoted(&alias.text);
            }
        }
    }

    fn from(&mut self, from: &FromClause) {
        self.line();
        self.push("FROM ");
        self.source(&from.first);
        for source in &from.joins {
            self.line();
            self.push("JOIN ");
            self.source(source);
        }
    }

    fn source(&mut self, source: &Source) {
        if let SourceForm::Iterate(variable) = &source.form {
            self.push(&variable.text);
            self.push(" IN ");
        }
        match &source.path.root {
            SourceRoot::Name(name) => self.push(&name.text),
            SourceRoot::Subquery(query) => self.indented_subquery(query),
        }
        for step in &source.path.steps {
            match step {
                SourceStep::Property(name) => {
                    self.push(".");
                    self.push(&name.text);
                }
                SourceStep::Quoted(name) => {
                    self.push("[");
                    self.quoted(&name.text);
                    self.push("]");
                }
                SourceStep::Index(index) => self.push(&format!("[{index}]")),
            }
        }
        if let SourceForm::Value(Some(alias)) = &source.form {
            self.push(" AS ");
            self.push(&alias.text);
        }
    }

    /// Prints a subquery of FROM on lines of its own.
    fn indented_subquery(&mut self, query: &QueryTree) {
        self.push("(");
        self.depth += 1;
        self.line();
        self.query(query);
        self.depth -= 1;
        self.line();
        self.push(")");
    }

    fn order_by(&mut self, order_by: &OrderBy) {
        self.line();
        self.push("ORDER BY ");
        match order_by {
            OrderBy::Items(items, _) => self.list(items, Self::order_item),
            OrderBy::Rank(scores, _) => {
                self.push("RANK ");
                self.list(scores, Self::scalar);
            }
        }
    }

    fn order_item(&mut self, item: &OrderItem) {
        self.scalar(&item.expression);
        if let Some(direction) = &item.direction {
            self.push(" ");
            self.push(&direction.spelling);
        }
    }

    fn count(&mut self, count: &Count) {
        match &count.kind {
            // The grammar accepts neither an exponent after LIMIT nor `Infinity` as a count.
            CountKind::Number(Literal::Double(count)) if *count >= WHOLE_MIN => {
                self.push(&whole_digits(*count));
            }
            CountKind::Number(literal) => self.literal(literal),
            CountKind::Parameter(name) => self.push(name),
        }
    }
}
