//! From an operator to what waits for its next operand.
//!
//! Owns taking the tokens of an operator after its first operand. Long chains go on with what is begun already.

use super::expression::{Bound, Next, Unfinished};
use super::infix::Infix;
use super::pending::{Branches, Pending};
use super::{Measured, Parsed};
use crate::ast::{Negation, Scalar, ScalarKind};
use crate::lexer::{Keyword, Symbol};
use crate::parser::state::Parser;

impl Parser<'_> {
    /// Takes the operator at hand and its first operand.
    pub(super) fn begin(
        &mut self,
        unfinished: &mut Unfinished,
        infix: Infix,
        first: Measured,
    ) -> Parsed<Next> {
        let pending = match infix {
            Infix::In(negation) => return self.in_list(negation, first),
            Infix::Between(negation) => {
                self.pass_test(negation);
                Pending::Low { negation, value: first }
            }
            Infix::Like(negation) => {
                self.pass_test(negation);
                Pending::Like { negation, value: first }
            }
            Infix::Binary(operator) => {
                self.advance();
                Pending::Binary { left: first, operator }
            }
            Infix::Coalesce => {
                self.advance();
                coalesce(unfinished, first)
            }
            Infix::Question => {
                self.advance();
                question(unfinished, first)
            }
        };
        unfinished.pending.push(pending);
        Ok(Next::Operand)
    }

    /// Passes the word of a test and the NOT before it.
    fn pass_test(&mut self, negation: Negation) {
        if negation == Negation::Negated {
            self.take_keyword(Keyword::Not);
        }
        self.advance();
    }

    fn in_list(&mut self, negation: Negation, value: Measured) -> Parsed<Next> {
        self.pass_test(negation);
        self.expect(Symbol::OpenParenthesis)?;
        let (list, levels) = self.scalars()?;
        let span = value.scalar.span.to(self.expect(Symbol::CloseParenthesis)?);
        let levels = levels.max(value.levels);
        let kind = ScalarKind::In { negation, value: value.scalar, list };
        let value = Measured::above(levels, Scalar::new(kind, span))?;
        Ok(Next::Value(Bound { value, binding: Infix::In(negation).binding() }))
    }
}

/// One more operand of `??`.
fn coalesce(unfinished: &mut Unfinished, operand: Measured) -> Pending {
    let Measured { scalar, levels } = operand;
    match unfinished.pending.pop_if(|last| last.goes_on_with(Infix::Coalesce)) {
        Some(Pending::Coalesce { mut operands, levels: before, span }) => {
            let span = span.to(scalar.span);
            operands.push(*scalar);
            Pending::Coalesce { operands, levels: levels.max(before), span }
        }
        _ => Pending::Coalesce { span: scalar.span, operands: vec![*scalar], levels },
    }
}

/// One more condition of a conditional.
fn question(unfinished: &mut Unfinished, condition: Measured) -> Pending {
    let start = condition.scalar.span;
    match unfinished.pending.pop_if(|last| last.goes_on_with(Infix::Question)) {
        Some(Pending::Otherwise { branches }) => Pending::Value { branches, condition },
        _ => {
            Pending::Value { branches: Branches { list: Vec::new(), levels: 0, start }, condition }
        }
    }
}
