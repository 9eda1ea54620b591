//! Calls of built-in functions.
//!
//! Owns the lookup of names, the check of the number of arguments, and where scores are allowed.

use super::binder::{Binder, ClauseContext};
use super::bound::Expression;
use super::catalog::FunctionKind;
use crate::ast::{Identifier, Scalar, Span};
use crate::error::text;

/// A score that only ORDER BY RANK can compute.
pub(super) const FULL_TEXT_SCORE: &str = "FullTextScore";
/// The function that fuses scores in ORDER BY RANK.
pub(super) const RANK_FUSION: &str = "RRF";
/// The score that both ORDER BY and ORDER BY RANK accept.
pub(super) const VECTOR_DISTANCE: &str = "VectorDistance";

impl Binder<'_> {
    pub(super) fn call(
        &mut self,
        name: &Identifier,
        arguments: &[Scalar],
        span: Span,
    ) -> Expression {
        let Some(signature) = self.catalog.find(&name.text) else {
            self.errors.push(text::unknown_function(name.span.0, &name.text));
            // Bound for their own errors.
            self.scalars(arguments);
            return Expression::UNDEFINED;
        };
        // Binding goes on, because the arguments may contain errors of their own.
        if !signature.arity.allows(arguments.len()) {
            let count = signature.arity.to_string();
            self.errors.push(text::wrong_arity(span.0, signature.name, &count));
        }
        // These scores need statistics over all items, which only ORDER BY RANK collects.
        if self.frame.clause != ClauseContext::Rank {
            for score in [FULL_TEXT_SCORE, RANK_FUSION] {
                if signature.name.eq_ignore_ascii_case(score) {
                    self.errors.push(text::score_outside_rank(span.0, score));
                }
            }
        }
        match signature.kind {
            FunctionKind::Aggregate => self.aggregate(signature.name, arguments, span),
            FunctionKind::Scalar => {
                let arguments = self.scalars(arguments);
                // The canonical name: planner and evaluator never see an alias or another case.
                Expression::Call { function: signature.name, arguments }
            }
        }
    }
}
