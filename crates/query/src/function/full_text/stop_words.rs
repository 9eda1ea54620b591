//! The English words too common to search for.
//!
//! Owns the list. Which words the service leaves out is not published; these are the closed-class words English search
//! engines usually drop.

/// Words left out of English text, in order.
const ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// Whether a lower-case word is left out of English text.
pub(super) fn is_english_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}
