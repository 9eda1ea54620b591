//! Functions on words of text.
//!
//! Owns tokenization, finding terms among tokens, and scoring. Does not own the index: it stores the same tokens,
//! produced by the same `Analyzer`.

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
