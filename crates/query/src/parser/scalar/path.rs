//! Paths.
//!
//! Owns `.name` and `[index]` after an operand. They bind tighter than any operator.

use super::{MeasuredScalar, Parsed};
use crate::ast::{MemberStep, Scalar};
use crate::lexer::Symbol;
use crate::parser::state::QueryParser;

impl QueryParser<'_> {
    /// Reads the steps of a path after its first value.
    pub(super) fn path(&mut self, value: MeasuredScalar) -> Parsed<MeasuredScalar> {
        let mut steps = Vec::new();
        // All steps together add one level.
        let mut levels = value.levels;
        loop {
            if self.accept(Symbol::Dot) {
                steps.push(MemberStep::Property(self.expect_name()?));
            } else if self.accept(Symbol::OpenBracket) {
                // The grammar accepts any expression; the binder rejects an index that depends on the row.
                let index = self.scalar()?;
                self.expect(Symbol::CloseBracket)?;
                levels = levels.max(index.levels);
                steps.push(MemberStep::Index(*index.scalar));
            } else {
                break;
            }
        }
        if steps.is_empty() {
            return Ok(value);
        }
        let span = value.scalar.span.to(self.last_span());
        MeasuredScalar::above(levels, Scalar::members(*value.scalar, steps, span))
    }
}
