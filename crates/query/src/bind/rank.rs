//! ORDER BY RANK.
//!
//! Owns which functions are scores, the weights of a fusion, and which inputs can be ranked: only whole items.

use super::binder::Binder;
use super::bound::BoundOrderBy;
use super::call::{FULL_TEXT_SCORE, RANK_FUSION, VECTOR_DISTANCE};
use crate::ast::{FromClause, Literal, Scalar, ScalarKind, SourceForm, SourceRoot, Span};
use crate::error::text;

/// The largest number of search terms of one full-text score.
const SCORE_TERMS_MAX: usize = 30;

/// The largest number of arguments of a fusion.
const FUSION_ARGUMENTS_MAX: usize = 100;

impl Binder<'_> {
    pub(super) fn rank(&mut self, from: Option<&FromClause>, scores: &[Scalar]) -> BoundOrderBy {
        if let Some(from) = from {
            self.check_ranked_inputs(from);
        }
        for score in scores {
            match &score.kind {
                ScalarKind::Call { arguments, .. } if self.calls(score, &[RANK_FUSION]) => {
                    self.check_fusion(arguments, score.span);
                    arguments.iter().for_each(|argument| self.check_terms(argument));
                }
                _ if self.calls(score, &[VECTOR_DISTANCE, FULL_TEXT_SCORE]) => {
                    self.check_terms(score);
                }
                _ => self.errors.push(text::rank_function(score.span.0)),
            }
        }
        BoundOrderBy::Rank(self.scores(scores))
    }

    fn check_ranked_inputs(&mut self, from: &FromClause) {
        for source in from.sources() {
            if matches!(source.path.root, SourceRoot::Subquery(_)) {
                self.errors.push(text::rank_with_subquery(source.span.0));
            }
        }
        if matches!(from.first.form, SourceForm::Iterate(_)) {
            self.errors.push(text::rank_with_in(from.first.span.0));
        }
        if let Some(join) = from.joins.first() {
            self.errors.push(text::rank_with_join(join.span.0));
        }
    }

    /// Checks the arguments of a fusion: scores, then optionally an array of weights.
    fn check_fusion(&mut self, arguments: &[Scalar], span: Span) {
        if arguments.len() > FUSION_ARGUMENTS_MAX {
            self.errors.push(text::too_many_fused(span.0, FUSION_ARGUMENTS_MAX));
        }
        let is_score =
            |argument: &&Scalar| self.calls(argument, &[VECTOR_DISTANCE, FULL_TEXT_SCORE]);
        // What follows the scores can only be the weights, and only one argument.
        let scores = arguments.iter().take_while(is_score).count();
        let mut error = None;
        match arguments.get(scores..) {
            Some([]) | None => {}
            Some([weights]) => {
                if !are_weights(weights, scores) {
                    error = Some(text::rank_weights(weights.span.0));
                }
            }
            Some([other, ..]) => error = Some(text::rank_function(other.span.0)),
        }
        self.errors.extend(error);
    }

    /// Checks the number of terms of a full-text score. Its first argument is the text.
    fn check_terms(&mut self, score: &Scalar) {
        if let ScalarKind::Call { arguments, .. } = &score.kind
            // One more for the path of the text.
            && arguments.len() > SCORE_TERMS_MAX + 1
            && self.calls(score, &[FULL_TEXT_SCORE])
        {
            self.errors.push(text::too_many_terms(score.span.0, SCORE_TERMS_MAX));
        }
    }

    fn calls(&self, scalar: &Scalar, functions: &[&str]) -> bool {
        match &scalar.kind {
            ScalarKind::Call { function, .. } => {
                self.catalog.find(&function.text).is_some_and(|signature| {
                    functions.iter().any(|name| signature.name.eq_ignore_ascii_case(name))
                })
            }
            _ => false,
        }
    }
}

/// Whether an expression is a literal array of as many numbers as there are scores.
fn are_weights(scalar: &Scalar, scores: usize) -> bool {
    match &scalar.kind {
        ScalarKind::Array(weights) => {
            weights.len() == scores
                && weights.iter().all(|weight| {
                    matches!(
                        weight.kind,
                        ScalarKind::Literal(Literal::Integer(_) | Literal::Double(_))
                    )
                })
        }
        _ => false,
    }
}
