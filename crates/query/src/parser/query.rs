//! The order of the clauses.
//!
//! Owns the order of the clauses, and WHERE and GROUP BY themselves. HAVING is a reserved word that no clause uses.

use super::state::QueryParser;
use super::{Parsed, scalar};
use crate::ast::{Literal, QueryTree, Scalar, ScalarKind, Select, Selection};
use crate::lexer::{Keyword, Symbol};

/// A query and the number of levels of its deepest expression.
pub(super) struct MeasuredQuery {
    pub(super) query: Box<QueryTree>,
    pub(super) levels: usize,
}

impl QueryParser<'_> {
    /// Reads a query from SELECT to its last clause.
    pub(super) fn query(&mut self) -> Parsed<MeasuredQuery> {
        // `deepest` belongs to the query being read: a subquery starts from zero, and its result is counted by the
        // expression around it.
        let outer = std::mem::take(&mut self.deepest);
        let query = self.nested(Self::clauses)?;
        let levels = std::mem::replace(&mut self.deepest, outer);
        Ok(MeasuredQuery { query, levels })
    }

    /// Reads a condition, `FROM … WHERE …`: both clauses are required, and no other may follow.
    pub(super) fn item_condition(&mut self) -> Parsed<MeasuredQuery> {
        let query = self.nested(|parser| {
            let start = parser.span();
            parser.expect_keyword(Keyword::From)?;
            let from = Some(parser.from()?);
            parser.expect_keyword(Keyword::Where)?;
            let filter = Some(parser.operand()?);
            // The condition of a patch is a query without SELECT. This gives it a form that binder and evaluator know.
            let always_true = Scalar::new(ScalarKind::Literal(Literal::Bool(true)), start);
            let selection = Selection::Value(Box::new(always_true));
            let select = Select { distinct: false, top: None, selection };
            let span = start.to(parser.last_span());
            let (group_by, order_by, offset_limit) = (Vec::new(), None, None);
            Ok(Box::new(QueryTree { select, from, filter, group_by, order_by, offset_limit, span }))
        })?;
        Ok(MeasuredQuery { query, levels: self.deepest })
    }

    fn clauses(&mut self) -> Parsed<Box<QueryTree>> {
        let start = self.span();
        let select = self.select()?;
        let from = if self.accept_keyword(Keyword::From) { Some(self.from()?) } else { None };
        let filter = if self.accept_keyword(Keyword::Where) { Some(self.operand()?) } else { None };
        let group_by = self.group_by()?;
        let order_by = self.order_by()?;
        let offset_limit = self.offset_limit()?;
        let span = start.to(self.last_span());
        Ok(Box::new(QueryTree { select, from, filter, group_by, order_by, offset_limit, span }))
    }

    fn group_by(&mut self) -> Parsed<Vec<Scalar>> {
        if !self.accept_keyword(Keyword::Group) {
            return Ok(Vec::new());
        }
        self.expect_keyword(Keyword::By)?;
        let mut expressions = vec![self.operand()?];
        while self.accept(Symbol::Comma) {
            expressions.push(self.operand()?);
        }
        Ok(expressions)
    }

    /// Reads an expression directly in a clause.
    pub(super) fn operand(&mut self) -> Parsed<Scalar> {
        let scalar::MeasuredScalar { scalar, levels } = self.scalar()?;
        self.deepest = self.deepest.max(levels);
        Ok(*scalar)
    }
}
