//! ORDER BY RANK.
//!
//! Owns which functions are scores, the weights of a fusion, and which inputs can be ranked: only whole items.

use model::Json;

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
    /// Binds the scores; `span` is the whole clause, to which most errors refer.
    pub(super) fn rank(&mut self, scores: &[Scalar], span: Span) -> BoundOrderBy {
        for score in scores {
            match &score.kind {
                ScalarKind::Call { arguments, .. } if self.calls(score, &[RANK_FUSION]) => {
                    self.check_fusion(arguments, span);
                    arguments.iter().for_each(|argument| self.check_terms(argument));
                }
                _ if self.calls(score, &[VECTOR_DISTANCE, FULL_TEXT_SCORE]) => {
                    self.check_terms(score);
                }
                _ => self.errors.push(text::rank_function(span.0)),
            }
        }
        BoundOrderBy::Rank(self.scores(scores))
    }

    /// Reports inputs that cannot be ranked, the join of all inputs before the inputs themselves.
    pub(super) fn check_ranked_inputs(&mut self, from: &FromClause) {
        if let Some(last) = from.joins.last() {
            self.errors.push(text::rank_with_join(from.first.span.to(last.span).0));
        }
        for source in from.sources() {
            if matches!(source.form, SourceForm::Iterate(_)) {
                self.errors.push(text::rank_with_in(source.span.0));
            }
            if matches!(source.path.root, SourceRoot::Subquery(_)) {
                self.errors.push(text::rank_with_subquery(source.path.span.0));
            }
        }
    }

    /// Checks the arguments of a fusion: at least two scores, then optionally an array of weights.
    fn check_fusion(&mut self, arguments: &[Scalar], span: Span) {
        if arguments.len() > FUSION_ARGUMENTS_MAX {
            self.errors.push(text::too_many_fused(span.0, FUSION_ARGUMENTS_MAX));
        }
        let is_score =
            |argument: &&Scalar| self.calls(argument, &[VECTOR_DISTANCE, FULL_TEXT_SCORE]);
        let scores = arguments.iter().take_while(is_score).count();
        let error = match arguments.get(scores..) {
            _ if scores < 2 => Some(text::rank_function(span.0)),
            Some([]) | None => None,
            Some([weights]) if self.are_weights(weights, scores) => None,
            Some([_]) => Some(text::rank_weights(span.0)),
            Some(_) => Some(text::rank_function(span.0)),
        };
        self.errors.extend(error);
    }

    /// Whether an expression is an array of as many numbers as there are scores: a literal, or a parameter with one.
    fn are_weights(&self, scalar: &Scalar, scores: usize) -> bool {
        match &scalar.kind {
            ScalarKind::Array(weights) => {
                let is_number = |weight: &Scalar| {
                    matches!(
                        weight.kind,
                        ScalarKind::Literal(Literal::Integer(_) | Literal::Double(_))
                    )
                };
                weights.len() == scores && weights.iter().all(is_number)
            }
            ScalarKind::Parameter(name) => {
                let weights = self.parameters.value(name).and_then(Json::as_array);
                let is_number = |weight: &Json| matches!(weight, Json::Number(_));
                weights.is_some_and(|list| list.len() == scores && list.iter().all(is_number))
            }
            _ => false,
        }
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

    pub(super) fn calls(&self, scalar: &Scalar, functions: &[&str]) -> bool {
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
