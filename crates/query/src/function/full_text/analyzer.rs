//! The text analyzer.
//!
//! Owns word boundaries, lower case, stop words and stemming, by language. Does not own search terms.

use std::fmt;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use super::stop_words::is_english_stop_word;

/// The default language.
pub(super) const LANGUAGE_DEFAULT: &str = "en-US";

/// The longest word that has a stem of its own.
const STEMMED_BYTES_MAX: usize = 256;

/// Splits text of one language into tokens.
pub struct Analyzer {
    stemmer: Stemmer,
    has_stop_words: bool,
}

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordToken {
    /// The word in lower case.
    pub word: String,
    /// The stem, which inflected forms of the word share: tokens match if their stems are equal.
    pub stem: String,
}

impl Analyzer {
    /// The analyzer of a language such as `en-US`; an unknown language is treated as English.
    #[must_use]
    pub fn new(language: &str) -> Self {
        let algorithm = match language.split('-').next().unwrap_or_default() {
            "de" => Algorithm::German,
            "es" => Algorithm::Spanish,
            "fr" => Algorithm::French,
            "it" => Algorithm::Italian,
            "pt" => Algorithm::Portuguese,
            _ => Algorithm::English,
        };
        let has_stop_words = matches!(algorithm, Algorithm::English);
        Self { stemmer: Stemmer::create(algorithm), has_stop_words }
    }

    /// The words of a text in order, without stop words.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<WordToken> {
        self.each(text).collect()
    }

    /// The same, one by one.
    pub(super) fn each(&self, text: &str) -> impl Iterator<Item = WordToken> {
        words(text)
            .map(str::to_lowercase)
            // Before stemming: the list contains words, not stems.
            .filter(|word| !(self.has_stop_words && is_english_stop_word(word)))
            .map(|word| WordToken { stem: self.stem(&word), word })
    }

    fn stem(&self, word: &str) -> String {
        // The stemmer copies the word for each letter that it replaces, so that its work is quadratic. No language has
        // words of this length; what has it is its own stem.
        if word.len() > STEMMED_BYTES_MAX {
            return word.to_owned();
        }
        self.stemmer.stem(word).into_owned()
    }
}

/// The words of a text. A sign beyond ASCII that stands alone, such as a dash between spaces, is one as well: it counts
/// for the length of a text, which the order of scores in the suites of the client libraries requires.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().flat_map(|piece| {
        let is_sign = !piece.is_ascii() && !piece.contains(char::is_alphanumeric);
        is_sign.then_some(piece).into_iter().chain(piece.unicode_words())
    })
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Analyzer")
            .field("has_stop_words", &self.has_stop_words)
            .finish_non_exhaustive()
    }
}
