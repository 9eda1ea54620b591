//! Binary operators from comparisons to multiplication.
//!
//! Owns precedence climbing: one loop for all levels, a call only for a tighter right operand.

use super::{Measured, Parsed};
use crate::ast::{BinaryOperator, Level, Scalar, ScalarKind};
use crate::lexer::{Symbol, TokenKind};
use crate::parser::state::Parser;

impl Parser<'_> {
    /// A chain of operators that bind at least as tightly as a level.
    pub(super) fn binary(&mut self, start: Option<Measured>, loosest: Level) -> Parsed<Measured> {
        let mut left = self.unary(start)?;
        while let Some(operator) = self.binary_operator()
            && operator.level() >= loosest
        {
            self.advance();
            let right = match tighter(operator.level()) {
                Some(level) => self.binary(None, level)?,
                None => self.unary(None)?,
            };
            left = left.binary(operator, right)?;
        }
        Ok(left)
    }

    fn binary_operator(&self) -> Option<BinaryOperator> {
        let TokenKind::Symbol(symbol) = self.kind() else {
            return None;
        };
        Some(match symbol {
            Symbol::Equal => BinaryOperator::Equal,
            Symbol::NotEqual => BinaryOperator::NotEqual,
            Symbol::Less => BinaryOperator::Less,
            Symbol::LessOrEqual => BinaryOperator::LessOrEqual,
            Symbol::Greater => BinaryOperator::Greater,
            Symbol::GreaterOrEqual => BinaryOperator::GreaterOrEqual,
            Symbol::ShiftLeft => BinaryOperator::ShiftLeft,
            Symbol::ShiftRight => BinaryOperator::ShiftRight,
            Symbol::ShiftRightUnsigned => BinaryOperator::ShiftRightUnsigned,
            Symbol::BarBar => BinaryOperator::Concatenate,
            Symbol::Bar => BinaryOperator::BitwiseOr,
            Symbol::Caret => BinaryOperator::BitwiseXor,
            Symbol::Ampersand => BinaryOperator::BitwiseAnd,
            Symbol::Plus => BinaryOperator::Add,
            Symbol::Minus => BinaryOperator::Subtract,
            Symbol::Star => BinaryOperator::Multiply,
            Symbol::Slash => BinaryOperator::Divide,
            Symbol::Percent => BinaryOperator::Modulo,
            _ => return None,
        })
    }
}

impl Measured {
    /// `self operator right`. Joining a chain of the same level adds no level to the tree.
    pub(super) fn binary(self, operator: BinaryOperator, right: Self) -> Parsed<Self> {
        let joins = match &self.scalar.kind {
            ScalarKind::Chain { rest, .. } => {
                rest.first().is_some_and(|(known, _)| known.level() == operator.level())
            }
            _ => false,
        };
        let below = if joins { self.levels - 1 } else { self.levels };
        let scalar = Scalar::binary(*self.scalar, operator, *right.scalar);
        Self::above(below.max(right.levels), scalar)
    }
}

/// The next tighter level of binary operators.
fn tighter(level: Level) -> Option<Level> {
    match level {
        Level::Or => Some(Level::And),
        Level::And => Some(Level::Comparison),
        Level::Comparison => Some(Level::Concatenation),
        Level::Concatenation => Some(Level::Additive),
        Level::Additive => Some(Level::Multiplicative),
        Level::Multiplicative => None,
    }
}
