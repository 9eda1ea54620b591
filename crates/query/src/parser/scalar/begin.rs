//! Starting an operator.
//!
//! Owns consuming the tokens of an operator after its first operand, and pushing what waits for the next operand. A
//! long `??` or `?:` chain extends the entry that is already waiting, so its tree stays flat.

use super::expression::{NextAction, Operand, PendingStack};
use super::infix::Infix;
use super::pending::{Branches, Pending};
use super::{MeasuredScalar, Parsed};
use crate::ast::{Negation, Scalar, ScalarKind};
use crate::lexer::{Keyword, Symbol};
use crate::parser::state::QueryParser;

impl QueryParser<'_> {
    /// Consumes the current operator; `first` is its first operand.
    pub(super) fn begin(
        &mut self,
        unfinished: &mut PendingStack,
        infix: Infix,
        first: MeasuredScalar,
    ) -> Parsed<NextAction> {
        let pending = match infix {
            // IN is complete once its list is read: it never waits for an operand.
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
        Ok(NextAction::ReadOperand)
    }

    /// Consumes BETWEEN, IN or LIKE and the NOT before it.
    fn pass_test(&mut self, negation: Negation) {
        if negation == Negation::Negated {
            // `infix` has looked at both tokens, so the NOT is there.
            self.accept_keyword(Keyword::Not);
        }
        self.advance();
    }

    fn in_list(&mut self, negation: Negation, value: MeasuredScalar) -> Parsed<NextAction> {
        self.pass_test(negation);
        self.expect(Symbol::OpenParenthesis)?;
        let (list, levels) = self.scalars()?;
        // An empty list is refused by `scalars`, which needs one element.
        let span = value.scalar.span.to(self.expect(Symbol::CloseParenthesis)?);
        let levels = levels.max(value.levels);
        let kind = ScalarKind::In { negation, value: value.scalar, list };
        let value = MeasuredScalar::above(levels, Scalar::new(kind, span))?;
        Ok(NextAction::ReadOperator(Operand { value, binding: Infix::In(negation).binding() }))
    }
}

/// Adds an operand to a chain of `??`.
fn coalesce(unfinished: &mut PendingStack, operand: MeasuredScalar) -> Pending {
    let MeasuredScalar { scalar, levels } = operand;
    match unfinished.pending.pop_if(|last| last.goes_on_with(Infix::Coalesce)) {
        Some(Pending::Coalesce { mut operands, levels: before, span }) => {
            let span = span.to(scalar.span);
            operands.push(*scalar);
            Pending::Coalesce { operands, levels: levels.max(before), span }
        }
        _ => Pending::Coalesce { span: scalar.span, operands: vec![*scalar], levels },
    }
}

/// Adds a condition to a chain of `?:`.
fn question(unfinished: &mut PendingStack, condition: MeasuredScalar) -> Pending {
    let start = condition.scalar.span;
    match unfinished.pending.pop_if(|last| last.goes_on_with(Infix::Question)) {
        Some(Pending::Otherwise { branches }) => Pending::Value { branches, condition },
        _ => {
            Pending::Value { branches: Branches { list: Vec::new(), levels: 0, start }, condition }
        }
    }
}
