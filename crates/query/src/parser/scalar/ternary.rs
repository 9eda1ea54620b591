//! `a ? b : c` and `a ?? b`.
//!
//! Owns the two loosest operators, both grouped to the right and both read as loops.

use super::{Measured, Parsed};
use crate::ast::{Branch, Scalar};
use crate::lexer::Symbol;
use crate::parser::state::Parser;

impl Parser<'_> {
    pub(super) fn ternary(&mut self, start: Option<Measured>) -> Parsed<Measured> {
        let mut last = self.coalesce(start)?;
        let start = last.scalar.span;
        let mut branches = Vec::new();
        let mut levels = 0;
        while self.take(Symbol::Question) {
            let value = self.scalar()?;
            self.expect(Symbol::Colon)?;
            levels = levels.max(last.levels).max(value.levels);
            branches.push(branch(last, value));
            last = self.coalesce(None)?;
        }
        if branches.is_empty() {
            return Ok(last);
        }
        let span = start.to(last.scalar.span);
        Measured::above(levels.max(last.levels), Scalar::conditional(branches, *last.scalar, span))
    }

    fn coalesce(&mut self, start: Option<Measured>) -> Parsed<Measured> {
        let first = self.condition(start)?;
        if !self.at(Symbol::QuestionQuestion) {
            return Ok(first);
        }
        let mut span = first.scalar.span;
        let mut levels = first.levels;
        let mut operands = vec![*first.scalar];
        while self.take(Symbol::QuestionQuestion) {
            let operand = self.condition(None)?;
            span = span.to(operand.scalar.span);
            levels = levels.max(operand.levels);
            operands.push(*operand.scalar);
        }
        Measured::above(levels, Scalar::coalesce(operands, span))
    }
}

fn branch(condition: Measured, value: Measured) -> Branch {
    Branch { condition: *condition.scalar, value: *value.scalar }
}
