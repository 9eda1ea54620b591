//! The form of each kind of token.

use super::*;
use crate::ast::Literal;

/// The kinds of all tokens of a text.
fn kinds(text: &str) -> Vec<TokenKind> {
    tokenize(text).into_iter().map(|token| token.kind).collect()
}

fn number(text: &str) -> Literal {
    match kinds(text).as_slice() {
        [TokenKind::Number(number), TokenKind::End] => number.value.clone(),
        other => panic!("{text}: {other:?}"),
    }
}

fn string(text: &str) -> String {
    match kinds(text).as_slice() {
        [TokenKind::String(value), TokenKind::End] => value.clone(),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn numbers_keep_sixty_four_bits_and_fall_back_to_doubles() {
    assert_eq!(number("123"), Literal::Integer(123));
    assert_eq!(number("9223372036854775807"), Literal::Integer(i64::MAX));
    assert_eq!(number("9223372036854775808"), Literal::Double(9_223_372_036_854_775_808.0));
    assert_eq!(number("1.5"), Literal::Double(1.5));
    assert_eq!(number(".5"), Literal::Double(0.5));
    assert_eq!(number("1."), Literal::Integer(1));
    assert_eq!(number("1e2"), Literal::Integer(100));
    assert_eq!(number("1E-3"), Literal::Double(0.001));
    assert_eq!(number("1e300"), Literal::Double(1e300));
    assert_eq!(number("0x1F"), Literal::Integer(31));
    assert_eq!(number("0XffffffffffffffffF"), Literal::Double(295_147_905_179_352_830_000.0));
}

#[test]
fn a_number_ends_where_its_form_ends() {
    assert_eq!(kinds("1e").len(), 3);
    assert_eq!(kinds("0x").len(), 3);
    assert_eq!(kinds("1.5.5").len(), 3);
    assert_eq!(kinds("1_000").len(), 3);
}

#[test]
fn strings_take_either_quote_and_the_escapes_of_json() {
    assert_eq!(string(r#"'it"s'"#), "it\"s");
    assert_eq!(string(r#""it's""#), "it's");
    assert_eq!(string(r#"'\'\"\\\/\b\f\n\r\t'"#), "'\"\\/\u{8}\u{c}\n\r\t");
    assert_eq!(string(r"'\u00e9\uD83D\uDE00'"), "é😀");
    assert_eq!(string(r"'\uD83Dx'"), "\u{FFFD}x");
    assert_eq!(string("'日本'"), "日本");
}

#[test]
fn bad_strings_end_the_tokens() {
    for text in ["'abc", "\"", r"'\x'", r"'\u12'", "'a\nb'", r"'\"] {
        assert_eq!(kinds(text).last(), Some(&TokenKind::InvalidString), "{text}");
    }
}

#[test]
fn locations_count_utf16_units() {
    let tokens = tokenize("'😀é' x");
    let last = &tokens[1];
    assert_eq!((last.location.start, last.location.end), (6, 7));
}

#[test]
fn comments_end_with_their_line() {
    assert_eq!(kinds("a -- b c\nd--").len(), 3);
    assert_eq!(
        kinds("- -"),
        vec![TokenKind::Symbol(Symbol::Minus), TokenKind::Symbol(Symbol::Minus), TokenKind::End]
    );
}

#[test]
fn characters_that_start_no_token_are_invalid() {
    for text in [";", "!", "@", "@1", "#", "$x", "é", "`a`", "\u{a0}"] {
        assert_eq!(kinds(text).last(), Some(&TokenKind::Invalid), "{text}");
    }
}

#[test]
fn the_longest_symbol_wins() {
    let symbols = |text| kinds(text).len() - 1;
    assert_eq!(symbols(">>>"), 1);
    assert_eq!(symbols(">>="), 2);
    assert_eq!(symbols("<>"), 1);
    assert_eq!(symbols("???"), 2);
    assert_eq!(symbols("|||"), 2);
}

#[test]
fn names_that_are_reserved_are_not_bare() {
    assert!(is_bare_name("_rid1"));
    assert!(is_bare_name("rank"));
    assert!(!is_bare_name("order"));
    assert!(!is_bare_name("1a"));
    assert!(!is_bare_name(""));
    assert!(!is_bare_name("é"));
}
