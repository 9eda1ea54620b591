//! Search terms: a word or phrase, exact or fuzzy.
//!
//! Owns parsing term arguments and counting their occurrences. Does not own the combination of several terms.

use super::analyzer::{Analyzer, WordToken};
use super::contains::tokens;
use super::edit_distance::is_within;
use crate::budget::byte_units;
use crate::function::context::CallContext;
use crate::value::Value;

/// The largest edit distance of a fuzzy term.
const CHANGES_MAX: i64 = 2;

/// A term: consecutive tokens, each within an edit distance.
#[derive(Debug)]
pub(super) struct SearchTerm {
    tokens: Vec<WordToken>,
    changes_max: usize,
}

impl SearchTerm {
    /// Parses a string or `{"term": …, "distance": 1 or 2}`; `None` for anything else.
    pub(super) fn new(
        value: &Value,
        analyzer: &Analyzer,
        context: &CallContext<'_>,
    ) -> Option<Self> {
        match value {
            Value::String(text) => {
                Some(Self { tokens: tokens(analyzer, text, context)?, changes_max: 0 })
            }
            Value::Object(object) => {
                let tokens = tokens(analyzer, object.get("term")?.as_str()?, context)?;
                let changes = object.get("distance").map_or(Some(0), Value::as_i64)?;
                let is_allowed = (0..=CHANGES_MAX).contains(&changes);
                is_allowed.then_some(Self { tokens, changes_max: usize::try_from(changes).ok()? })
            }
            _ => None,
        }
    }

    /// The number of occurrences; a term without tokens has none.
    pub(super) fn occurrences(&self, text: &[WordToken], context: &CallContext<'_>) -> usize {
        if self.tokens.is_empty() {
            return 0;
        }
        // A refused comparison is false; the call fails, so that its count is never seen.
        let is_occurrence = |tokens: &&[WordToken]| {
            let mut pairs = tokens.iter().zip(&self.tokens);
            pairs.all(|(token, wanted)| {
                let units = self.comparison_units(token, wanted);
                context.budget.work(units).is_some() && self.fits(token, wanted)
            })
        };
        // `windows` panics for zero, which the check above excludes.
        text.windows(self.tokens.len()).filter(is_occurrence).count()
    }

    /// The units of comparing two words: an edit distance takes the product of their lengths.
    fn comparison_units(&self, token: &WordToken, wanted: &WordToken) -> u64 {
        let steps = token.word.len().saturating_mul(wanted.word.len());
        if self.changes_max == 0 { 1 } else { 1 + byte_units(steps) }
    }

    /// Exact terms match by stem, so that inflected forms are found; fuzzy ones also by the edit distance of the word.
    fn fits(&self, token: &WordToken, wanted: &WordToken) -> bool {
        token.stem == wanted.stem
            || (self.changes_max > 0 && is_within(&token.word, &wanted.word, self.changes_max))
    }
}
