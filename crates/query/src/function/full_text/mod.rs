//! Functions on words of text.
//!
//! Owns tokenization, finding terms among tokens, and scoring. Does not own the index: it stores the same tokens,
//! produced by the same `Analyzer`.

mod analyzer;
mod edit_distance;
mod stop_words;
mod term;

mod contains;
mod rank_fusion;
mod score;

#[cfg(test)]
mod tests;

pub use analyzer::{Analyzer, WordToken};

pub(crate) use score::{Corpus, matches};

pub(super) use {
    contains::FUNCTIONS as CONTAINS, rank_fusion::FUNCTIONS as RANK_FUSION,
    score::FUNCTIONS as SCORE,
};
