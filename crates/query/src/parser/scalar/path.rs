//! Paths.
//!
//! Owns `.name` and `[index]` after an operand. They bind tighter than any operator.

use super::{Measured, Parsed};
use crate::ast::{Scalar, Step};
use crate::lexer::Symbol;
use crate::parser::state::Parser;

impl Parser<'_> {
    /// A value and the steps down from it.
    pub(super) fn path(&mut self, value: Measured) -> Parsed<Measured> {
        let mut steps = Vec::new();
        // All steps together add one level.
        let mut levels = value.levels;
        loop {
            if self.take(Symbol::Dot) {
                steps.push(Step::Property(self.expect_name()?));
            } else if self.take(Symbol::OpenBracket) {
                let index = self.scalar()?;
                self.expect(Symbol::CloseBracket)?;
                levels = levels.max(index.levels);
                steps.push(Step::Index(*index.scalar));
            } else {
                break;
            }
        }
        if steps.is_empty() {
            return Ok(value);
        }
        let span = value.scalar.span.to(self.last_span());
        Measured::above(levels, Scalar::members(*value.scalar, steps, span))
    }
}
