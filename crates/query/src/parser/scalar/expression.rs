//! Entering an expression, and measuring its tree.
//!
//! Owns the run of opening parentheses and the limit on the levels of a tree.

use crate::ast::{Scalar, ScalarKind, Span};
use crate::error::text;
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::parser::Parsed;
use crate::parser::state::Parser;

/// Parentheses that may open at one place.
const PARENTHESES_MAX: usize = 4096;

/// Levels of a tree: what later stages, which walk trees by calling themselves, can bear.
const TREE_LEVELS_MAX: usize = 512;

/// An expression and how many levels its tree has. Boxed, so that a level of nesting costs little stack.
pub(in crate::parser) struct Measured {
    pub(in crate::parser) scalar: Box<Scalar>,
    pub(in crate::parser) levels: usize,
}

impl Measured {
    /// An expression without parts.
    pub(super) fn leaf(kind: ScalarKind, span: Span) -> Self {
        Self { scalar: Box::new(Scalar::new(kind, span)), levels: 1 }
    }

    /// An expression one level above the deepest of its parts; refused when that is too deep.
    pub(super) fn above(levels: usize, scalar: Scalar) -> Parsed<Self> {
        if levels >= TREE_LEVELS_MAX {
            return Err(Box::new(text::too_deep(TREE_LEVELS_MAX)));
        }
        Ok(Self { scalar: Box::new(scalar), levels: levels + 1 })
    }
}

impl Parser<'_> {
    /// An expression.
    pub(in crate::parser) fn scalar(&mut self) -> Parsed<Measured> {
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
