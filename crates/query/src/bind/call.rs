//! Calls of built-in functions.
//!
//! Owns the lookup of names, the check of the number of arguments, and where scores are allowed.

use model::{Json, Number};

use super::binder::{Binder, ClauseContext};
use super::bound::Expression;
use super::catalog::FunctionKind;
use crate::ast::{Identifier, Literal, Scalar, ScalarKind, Span};
use crate::error::text;

/// A score that only ORDER BY RANK can compute.
pub(super) const FULL_TEXT_SCORE: &str = "FullTextScore";
/// The function that fuses scores in ORDER BY RANK.
pub(super) const RANK_FUSION: &str = "RRF";
/// The score that both ORDER BY and ORDER BY RANK accept.
pub(super) const VECTOR_DISTANCE: &str = "VectorDistance";

/// The option of a distance that multiplies the number of candidates of an index search.
const LIST_SIZE_MULTIPLIER: &str = "searchListSizeMultiplier";

impl Binder<'_> {
    pub(super) fn call(
        &mut self,
        name: &Identifier,
        arguments: &[Scalar],
        span: Span,
    ) -> Expression {
        let Some(signature) = self.catalog.find(&name.text) else {
            // Bound for their own errors, which come first.
            self.scalars(arguments);
            self.errors.push(text::unknown_function(name.span.0, &name.text));
            return Expression::UNDEFINED;
        };
        let is_rank = self.frame.clause == ClauseContext::Rank;
        let is_fusion = signature.name.eq_ignore_ascii_case(RANK_FUSION);
        // Arguments are bound first: their errors come before those of the call.
        let bound = match signature.kind {
            FunctionKind::Aggregate => self.aggregate(signature.name, arguments, span),
            FunctionKind::Scalar => {
                let arguments = self.scalars(arguments);
                // The canonical name: planner and evaluator never see an alias or another case.
                Expression::Call { function: signature.name, arguments }
            }
        };
        // These scores need statistics over all items, which only ORDER BY RANK collects. Elsewhere the service does
        // not know the fusion at all.
        if is_fusion && !is_rank {
            self.errors.push(text::unknown_function(name.span.0, &name.text));
            return Expression::UNDEFINED;
        }
        // The arguments of a fusion are checked with its clause.
        if !is_fusion && !signature.arity.allows(arguments.len()) {
            let count = signature.arity.to_string();
            self.errors.push(text::wrong_arity(span.0, signature.name, &count));
        }
        if !is_rank && signature.name.eq_ignore_ascii_case(FULL_TEXT_SCORE) {
            self.errors.push(text::score_outside_rank(span.0, FULL_TEXT_SCORE));
        }
        if signature.name.eq_ignore_ascii_case(VECTOR_DISTANCE) {
            self.check_distance_options(arguments.get(3));
        }
        bound
    }

    /// Checks the options of a distance that have a range.
    fn check_distance_options(&mut self, options: Option<&Scalar>) {
        let Some(options) = options else { return };
        let value = match &options.kind {
            ScalarKind::Object(members) => {
                let member = members.iter().find(|member| member.name.text == LIST_SIZE_MULTIPLIER);
                member.and_then(|member| match &member.value.kind {
                    ScalarKind::Literal(Literal::Integer(value)) => Some(Json::from(*value)),
                    ScalarKind::Literal(Literal::Double(value)) => {
                        Number::from_f64(*value).map(Json::Number)
                    }
                    ScalarKind::Parameter(name) => self.parameters.value(name).cloned(),
                    _ => None,
                })
            }
            ScalarKind::Parameter(name) => {
                let options = self.parameters.value(name);
                options.and_then(|options| options.get(LIST_SIZE_MULTIPLIER)).cloned()
            }
            _ => None,
        };
        if let Some(Json::Number(value)) = value
            && !(1.0..=100.0).contains(&value.as_f64())
        {
            let value = Json::Number(value).to_string();
            self.errors.push(text::list_size_multiplier(options.span.0, &value));
        }
    }
}
