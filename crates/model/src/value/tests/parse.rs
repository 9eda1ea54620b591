//! Tests of parsing and printing: strictness, repeated names, round trips.

use proptest::prelude::*;

use crate::value::arbitrary::json;
use crate::{Json, Object};

fn check(text: &str, expected: &str) {
    let printed = match Json::parse(text.as_bytes()) {
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(printed, expected, "{text}");
}

#[test]
fn values_print_compactly_as_sent() {
    check(" { \"b\" : [ 1 , 2.50 , -0 ] , \"a\" : null } ", r#"{"b":[1,2.50,-0],"a":null}"#);
    check("18446744073709551615", "18446744073709551615");
    check(r#""\u00e9\ud83d\ude80\/\u0001""#, "\"é🚀/\\u0001\"");
    check("[]", "[]");
    check("{}", "{}");
}

#[test]
fn a_repeated_name_keeps_its_place_and_its_last_value() {
    check(r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#);
    let many: Vec<String> = (0..100).chain(0..100).map(|n| format!("\"p{n}\":{n}")).collect();
    let once: Vec<String> = (0..100).map(|n| format!("\"p{n}\":{n}")).collect();
    check(&format!("{{{}}}", many.join(",")), &format!("{{{}}}", once.join(",")));
}

#[test]
fn what_json_forbids_is_refused_with_its_place() {
    check("", "unexpected end of the text at byte 0");
    check("[1,]", "unexpected character at byte 3");
    check("{\"a\":1,}", "expected a property name at byte 7");
    check("01", "unexpected text after the value at byte 1");
    check("1.", "expected a digit at byte 2");
    check("1e400", "the number is outside the range of a 64-bit double at byte 0");
    check("NaN", "unexpected character at byte 0");
    check("nul", "unexpected word at byte 0");
    check("\"\u{1}\"", "control character inside a string at byte 1");
    check("\"a", "unexpected end of the text inside a string at byte 2");
    check(r#""\x""#, "unknown escape at byte 2");
    check("{\"a\" 1}", "expected ':' at byte 5");
    assert!(Json::parse(b"\"\xFF\"").is_err());
}

#[test]
fn nesting_ends_at_the_limit() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    check(&nested(128), &nested(128));
    check(&nested(129), "nested deeper than 128 levels at byte 128");
}

#[test]
fn equality_ignores_property_order() {
    let value = |text: &str| Json::parse(text.as_bytes()).unwrap();
    assert_eq!(
        value(r#"{"a":1,"b":[{"c":2,"d":3}]}"#),
        value(r#"{"b":[{"d":3.0,"c":2}],"a":1e0}"#)
    );
    assert_ne!(value(r#"{"a":1}"#), value(r#"{"a":1,"b":2}"#));
    assert_ne!(value(r#"{"a":1}"#), value(r#"{"b":1}"#));
    assert_ne!(value("[1,2]"), value("[2,1]"));
    assert_eq!(Object::new(), Object::default());
}

proptest! {
    #[test]
    fn printing_and_parsing_are_inverse(value in json()) {
        let text = value.to_bytes();
        let parsed = Json::parse(&text).unwrap();
        prop_assert_eq!(&parsed, &value);
        prop_assert_eq!(parsed.to_bytes(), text);
    }

    #[test]
    fn any_bytes_are_parsed_or_refused_without_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let _ = Json::parse(&bytes);
    }

    #[test]
    fn any_text_of_json_characters_is_parsed_or_refused(
        text in r#"[\[\]{}",:0-9eE+\-.\\unltrfas ]{0,40}"#,
    ) {
        if let Ok(value) = Json::parse(text.as_bytes()) {
            prop_assert_eq!(Json::parse(&value.to_bytes()).unwrap(), value);
        }
    }
}

#[test]
fn half_of_a_surrogate_pair_becomes_the_replacement_character() {
    for (text, expected) in [
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ude00x""#, "\u{fffd}x"),
        (r#""\ud83dx""#, "\u{fffd}x"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
    ] {
        assert_eq!(Json::parse(text.as_bytes()).unwrap().as_str(), Some(expected), "{text}");
    }
}
