//! Functions on words of text.
//!
//! Owns how text becomes tokens, how terms are found among them and how a match scores. Does not own the index: it
//! stores the same tokens, made by the same `Analyzer`.

mod analyzer;
mod edit_distance;
mod stop_words;
mod term;

pub(super) mod contains;
pub(super) mod rank_fusion;
pub(super) mod score;

#[cfg(test)]
mod tests;

pub use analyzer::{Analyzer, WordToken};

pub(crate) use score::{Corpus, matches};
