//! What is searched for: a word or phrase, exact or nearly so.
//!
//! Owns the reading of term arguments and their occurrences in a text. Does not own the combination of several terms.

use super::analyzer::{Analyzer, WordToken};
use super::edit_distance::is_within;
use crate::value::Value;

/// The most changes a fuzzy term may allow.
const CHANGES_MAX: i64 = 2;

/// A term: tokens in a row, each within so many changes.
#[derive(Debug)]
pub(super) struct SearchTerm {
    tokens: Vec<WordToken>,
    changes_max: usize,
}

impl SearchTerm {
    /// Reads text, or `{"term": …, "distance": 1 or 2}`; none for anything else.
    pub(super) fn new(value: &Value, analyzer: &Analyzer) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self { tokens: analyzer.tokens(text), changes_max: 0 }),
            Value::Object(object) => {
                let tokens = analyzer.tokens(object.get("term")?.as_str()?);
                let changes = object.get("distance").map_or(Some(0), Value::as_i64)?;
                let is_allowed = (0..=CHANGES_MAX).contains(&changes);
                is_allowed.then_some(Self { tokens, changes_max: usize::try_from(changes).ok()? })
            }
            _ => None,
        }
    }

    /// How often the term occurs; a term without tokens never does.
    pub(super) fn occurrences(&self, text: &[WordToken]) -> usize {
        if self.tokens.is_empty() {
            return 0;
        }
        let is_here = |tokens: &&[WordToken]| {
            tokens.iter().zip(&self.tokens).all(|(token, wanted)| self.fits(token, wanted))
        };
        text.windows(self.tokens.len()).filter(is_here).count()
    }

    /// Exact terms match by stem, so that inflected forms are found; fuzzy ones also by the letters of the word.
    fn fits(&self, token: &WordToken, wanted: &WordToken) -> bool {
        token.stem == wanted.stem
            || (self.changes_max > 0 && is_within(&token.word, &wanted.word, self.changes_max))
    }
}
