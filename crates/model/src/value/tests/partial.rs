//! Tests of reading some properties: always what the whole parse would give, and never a panic.

use proptest::prelude::*;

use crate::value::arbitrary::{json, text};
use crate::{Json, Object};

/// Reads some properties of a text and prints them, or the refusal.
fn read(text: &str, names: &[&str]) -> String {
    let is_wanted = |name: &[u8]| names.iter().any(|wanted| wanted.as_bytes() == name);
    match Json::parse_properties(text.as_bytes(), is_wanted) {
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn wanted_properties_come_in_the_order_of_the_text() {
    let text = r#"{"a":1,"b":"x\"},{","c":[{"d":"]"},[]],"d":{"a":{"e":2}},"e":-1.5e+3,"f":null}"#;
    assert_eq!(read(text, &["e", "a"]), r#"{"a":1,"e":-1.5e+3}"#);
    assert_eq!(read(text, &["b", "d", "nope"]), r#"{"b":"x\"},{","d":{"a":{"e":2}}}"#);
    assert_eq!(read(text, &["a", "b", "c", "d", "e", "f"]), text);
    assert_eq!(read(text, &[]), "{}");
    assert_eq!(read(" { \"a\" : 1 , \"b\" : [ ] } ", &["b"]), r#"{"b":[]}"#);
    assert_eq!(read("{}", &["a"]), "{}");
}

#[test]
fn an_escaped_name_is_the_name_it_means() {
    assert_eq!(read(r#"{"\u0061\n":1,"a":2}"#, &["a\n"]), r#"{"a\n":1}"#);
}

#[test]
fn a_repeated_name_keeps_its_place_and_its_last_value() {
    assert_eq!(read(r#"{"a":1,"b":2,"a":3}"#, &["a", "b"]), r#"{"a":3,"b":2}"#);
}

#[test]
fn other_values_than_objects_are_read_whole() {
    for text in ["5", "[1,2]", "\"a\"", "null"] {
        assert_eq!(read(text, &["a"]), text);
    }
    assert_eq!(read("", &["a"]), "unexpected end of the text at byte 0");
}

#[test]
fn a_text_without_shape_is_refused() {
    for (text, refusal) in [
        ("{", "expected a property name at byte 1"),
        ("{\"a\"", "expected ':' at byte 4"),
        ("{\"a\":", "unexpected end of the text at byte 5"),
        ("{\"a\":1", "expected ',' or '}' at byte 6"),
        ("{\"a\":1,}", "expected a property name at byte 7"),
        ("{\"a\":\"x", "unexpected end of the text inside a string at byte 6"),
        ("{\"a\":\"x\\", "unexpected end of the text inside a string at byte 9"),
        ("{\"a\":[{]", "unexpected end of the text at byte 8"),
        ("{\"a\":1} 2", "unexpected text after the value at byte 8"),
        ("{\"a\":?}", "unexpected character at byte 5"),
        ("{\"b\":01}", "unexpected text after the value at byte 6"),
        ("{\"b\":tru}", "unexpected word at byte 5"),
    ] {
        assert_eq!(read(text, &["b"]), refusal, "{text}");
    }
}

/// An object of some properties, as its text.
fn object() -> impl Strategy<Value = Json> {
    proptest::collection::vec((text(), json()), 0..8).prop_map(|properties| {
        let mut object = Object::new();
        for (name, value) in properties {
            object.insert(name, value);
        }
        Json::Object(object)
    })
}

/// The properties of a whole parse that are wanted.
fn kept(value: &Json, is_wanted: impl Fn(&[u8]) -> bool) -> Json {
    match value {
        Json::Object(object) => {
            let mut kept = Object::new();
            for (name, value) in object.iter().filter(|(name, _)| is_wanted(name.as_bytes())) {
                kept.insert(name, value.clone());
            }
            Json::Object(kept)
        }
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn some_properties_are_those_of_the_whole(value in object(), seed: u8) {
        let is_wanted =
            |name: &[u8]| name.iter().fold(seed, |sum, byte| sum.wrapping_add(*byte)) % 2 == 0;
        let read = Json::parse_properties(&value.to_bytes(), is_wanted).unwrap();
        prop_assert_eq!(read.to_string(), kept(&value, is_wanted).to_string());
    }

    /// A byte changed, cut or added anywhere: what the whole parse takes is read the same, and nothing panics.
    #[test]
    fn broken_text_never_panics(
        value in object(),
        at: prop::sample::Index,
        byte in prop_oneof![any::<u8>(), prop::sample::select(&b"\"\\{}[],: 1n"[..])],
        change in 0..3,
    ) {
        let mut text = value.to_bytes();
        let at = at.index(text.len());
        match change {
            0 => text[at] = byte,
            1 => text.truncate(at),
            _ => text.insert(at, byte),
        }
        for parity in 0..2 {
            let is_wanted = |name: &[u8]| name.len() % 2 == parity;
            let read = Json::parse_properties(&text, is_wanted);
            if let Ok(whole) = Json::parse(&text) {
                prop_assert_eq!(read.unwrap().to_string(), kept(&whole, is_wanted).to_string());
            }
        }
    }
}
