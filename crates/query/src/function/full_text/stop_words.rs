//! English stop words.
//!
//! Owns the list. The service's list is not published; these are the function words that English search engines usually
//! drop.

/// English stop words, sorted.
const ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// Whether a lower-case word is an English stop word.
pub(super) fn is_english_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}
