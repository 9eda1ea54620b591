//! Tokens, terms and scores.

use crate::function::tests::evaluate;
use crate::value::Value;

use super::Analyzer;

fn stems(language: &str, text: &str) -> Vec<String> {
    Analyzer::new(language).tokens(text).into_iter().map(|token| token.stem).collect()
}

#[test]
fn text_becomes_stems_of_its_language() {
    assert_eq!(stems("en-US", "The Runners' bicycles, running!"), ["runner", "bicycl", "run"]);
    assert_eq!(stems("de-DE", "Die Häuser"), ["die", "haus"]);
    assert_eq!(stems("fr-FR", "les chevaux"), ["le", "cheval"]);
    assert_eq!(stems("xx", "the cats"), ["cat"]);
    assert!(stems("en-US", "the - (…the)").is_empty());
}

#[test]
fn a_sign_that_stands_alone_counts_as_a_word() {
    assert_eq!(stems("en-US", "1833 – 1898, “gone”—"), ["1833", "–", "1898", "gone"]);
    assert_eq!(stems("en-US", "up 🚀 & away"), ["🚀", "away"]);
}

#[test]
fn a_word_longer_than_any_of_a_language_is_its_own_stem() {
    let (long, longer) = ("ay".repeat(127) + "ing", "ay".repeat(128) + "ing");
    assert_ne!(stems("en-US", &long[1..]), [&long[1..]]);
    assert_eq!(stems("en-US", &longer), [longer]);
}

#[test]
fn a_term_of_stop_words_is_never_found_unverified() {
    assert_eq!(evaluate("FULLTEXTCONTAINS", "\"the cat\", \"the\""), Value::Bool(false));
}

fn score(text: &str, hits: u32) -> f64 {
    let arguments = format!("\"{text}\", [\"red\"], 100, 1000, [{hits}]");
    evaluate("_FullTextScore", &arguments).as_f64().unwrap()
}

#[test]
fn bm25_has_the_usual_constants_unverified() {
    // One occurrence in a text of mean length: the saturation is exactly one.
    let text = "red two three four five six seven eight nine ten";
    let expected = (1.0 + (100.0 - 9.0 + 0.5) / (9.0 + 0.5_f64)).ln();
    assert!((score(text, 9) - expected).abs() < 1e-12);
}

#[test]
fn rare_terms_repeated_in_short_texts_score_best() {
    assert!(score("red red", 5) > score("red car", 5));
    assert!(score("red car", 1) > score("red car", 50));
    assert!(score("red", 5) > score("red and much more text than that one", 5));
}
