//! Expressions, loosest operator first.
//!
//! Owns how an expression is entered: a run of opening parentheses costs no stack, because the service's own printed
//! form opens with as many parentheses as a chain has operands. Each file below owns one band of precedence; every
//! step takes the leftmost operand if it is already read.

mod binary;
mod construct;
mod logical;
mod primary;
mod ternary;
mod unary;

use super::Parsed;
use super::state::Parser;
use crate::ast::{Scalar, ScalarKind, Span};
use crate::error::text;
use crate::lexer::{Keyword, Symbol, TokenKind};

/// Parentheses that may open at one place.
const PARENTHESES_MAX: usize = 4096;

/// Levels of a tree: what later stages, which walk trees by calling themselves, can bear.
const TREE_LEVELS_MAX: usize = 512;

/// An expression and how many levels its tree has. Boxed, so that a level of nesting costs little stack.
pub(super) struct Measured {
    pub(super) scalar: Box<Scalar>,
    pub(super) levels: usize,
}

impl Measured {
    /// An expression without parts.
    fn leaf(kind: ScalarKind, span: Span) -> Self {
        Self { scalar: Box::new(Scalar::new(kind, span)), levels: 1 }
    }

    /// An expression one level above the deepest of its parts; refused when that is too deep.
    fn above(levels: usize, scalar: Scalar) -> Parsed<Self> {
        if levels >= TREE_LEVELS_MAX {
            return Err(Box::new(text::too_deep(TREE_LEVELS_MAX)));
        }
        Ok(Self { scalar: Box::new(scalar), levels: levels + 1 })
    }
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn scalar(&mut self) -> Parsed<Measured> {
        self.nested(Self::scalar_after_parentheses)
    }

    fn scalar_after_parentheses(&mut self) -> Parsed<Measured> {
        let mut open = 0;
        while self.at(Symbol::OpenParenthesis)
            && *self.ahead(1) != TokenKind::Keyword(Keyword::Select)
        {
            self.advance();
            open += 1;
            if open > PARENTHESES_MAX {
                return Err(Box::new(text::too_deep(PARENTHESES_MAX)));
            }
        }
        let mut value = self.ternary(None)?;
        for _ in 0..open {
            self.expect(Symbol::CloseParenthesis)?;
            value = self.ternary(Some(value))?;
        }
        Ok(value)
    }
}
