//! Operators after an operand.
//!
//! Owns the tokens of infix operators and what each of them accepts on its left. Does not own what happens next: see
//! `begin`.

use super::binding_power::BindingPower;
use crate::ast::{BinaryOperator, Negation};
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::state::QueryParser;

/// An operator after its first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    /// `?`
    Question,
    /// `??`
    Coalesce,
    Between(Negation),
    In(Negation),
    Like(Negation),
    Binary(BinaryOperator),
}

impl Infix {
    /// How tightly the resulting expression binds.
    pub(super) fn binding(self) -> BindingPower {
        match self {
            Self::Question => BindingPower::Conditional,
            Self::Coalesce => BindingPower::Coalesce,
            Self::Between(_) => BindingPower::Between,
            Self::In(_) | Self::Like(_) => BindingPower::Membership,
            Self::Binary(operator) => operator.precedence().into(),
        }
    }

    /// The loosest binding allowed for the left operand.
    pub(super) fn left(self) -> BindingPower {
        match self {
            Self::Question => BindingPower::Coalesce,
            Self::Coalesce => BindingPower::Between,
            Self::Between(_) | Self::In(_) | Self::Like(_) => BindingPower::Comparison,
            Self::Binary(operator) => operator.precedence().into(),
        }
    }
}

impl QueryParser<'_> {
    /// The operator at the current token.
    pub(super) fn infix(&self) -> Option<Infix> {
        match self.kind() {
            TokenKind::Symbol(Symbol::Question) => Some(Infix::Question),
            TokenKind::Symbol(Symbol::QuestionQuestion) => Some(Infix::Coalesce),
            TokenKind::Symbol(symbol) => binary_operator(*symbol).map(Infix::Binary),
            TokenKind::Keyword(Keyword::Or) => Some(Infix::Binary(BinaryOperator::Or)),
            TokenKind::Keyword(Keyword::And) => Some(Infix::Binary(BinaryOperator::And)),
            // After an operand NOT must belong to BETWEEN, IN or LIKE; the prefix operator NOT needs no left operand.
            TokenKind::Keyword(Keyword::Not) => match self.peek(1) {
                TokenKind::Keyword(word) => test(*word, Negation::Negated),
                _ => None,
            },
            TokenKind::Keyword(word) => test(*word, Negation::Plain),
            _ => None,
        }
    }
}

/// BETWEEN, IN or LIKE.
fn test(word: Keyword, negation: Negation) -> Option<Infix> {
    match word {
        Keyword::Between => Some(Infix::Between(negation)),
        Keyword::In => Some(Infix::In(negation)),
        Keyword::Like => Some(Infix::Like(negation)),
        _ => None,
    }
}

fn binary_operator(symbol: Symbol) -> Option<BinaryOperator> {
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
