//! Tests of serde conversions: the same as by way of text, numbers exact, limits held.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::value::arbitrary::json;
use crate::{Json, MeasuredJson, Object};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    flag: bool,
    byte: u8,
    large: u64,
    huge: i128,
    single: f32,
    double: f64,
    letter: char,
    text: String,
    missing: Option<String>,
    present: Option<i32>,
    nothing: (),
    pair: (i8, String),
    by_number: BTreeMap<i32, bool>,
    by_flag: BTreeMap<bool, u16>,
    choices: Vec<Choice>,
    #[serde(flatten)]
    rest: BTreeMap<String, Vec<i64>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Choice {
    Unit,
    Newtype(f64),
    Tuple(i32, i32),
    Struct { a: Option<bool> },
}

fn everything() -> Everything {
    Everything {
        flag: true,
        byte: 255,
        large: u64::MAX,
        huge: i128::MIN,
        single: 0.1,
        double: 1.0,
        letter: '🚀',
        text: "a\"\u{1}é".to_owned(),
        missing: None,
        present: Some(-3),
        nothing: (),
        pair: (-1, String::new()),
        by_number: BTreeMap::from([(-1, true), (7, false)]),
        by_flag: BTreeMap::from([(true, 1), (false, 0)]),
        choices: vec![
            Choice::Unit,
            Choice::Newtype(1e-7),
            Choice::Tuple(1, 2),
            Choice::Struct { a: Some(false) },
        ],
        rest: BTreeMap::from([("extra".to_owned(), vec![i64::MIN, i64::MAX])]),
    }
}

#[test]
fn a_type_becomes_the_value_its_text_would_be() {
    let direct = Json::from_serialize(&everything()).unwrap();
    assert_eq!(direct.to_string(), serde_json::to_string(&everything()).unwrap());
    assert_eq!(direct.deserialize_into::<Everything>().unwrap(), everything());
}

#[test]
fn floating_point_numbers_have_the_digits_of_serde_json() {
    let numbers =
        [0.0, -0.0, 1.0, 1e-5, 1e-6, 1e15, 1e16, 1e17, 0.1, f64::MAX, f64::MIN_POSITIVE, f64::NAN];
    let direct = Json::from_serialize(&numbers).unwrap();
    assert_eq!(direct.to_string(), serde_json::to_string(&numbers).unwrap());
    let single = [0.1f32, 16_777_216.0, f32::MAX];
    let direct = Json::from_serialize(&single).unwrap();
    assert_eq!(direct.to_string(), serde_json::to_string(&single).unwrap());
}

#[test]
fn numbers_survive_serde_json_as_sent() {
    let text =
        r#"{"b":[2.50,-0,1e2,1E+2,18446744073709551615,123456789012345678901234567890],"a":1}"#;
    let value: Json = serde_json::from_str(text).unwrap();
    assert_eq!(value.to_string(), text);
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    let object: Object = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&object).unwrap(), text);
    assert!(serde_json::from_str::<Object>("[1]").is_err());
}

#[test]
fn a_value_inside_a_type_keeps_its_text_and_order() {
    #[derive(Serialize, Deserialize)]
    struct Envelope {
        body: Json,
        raw: Box<RawValue>,
    }
    let text = r#"{"body":{"z":1.50,"a":null},"raw":{"z":2.50}}"#;
    let envelope: Envelope = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&envelope).unwrap(), text);
    let value = Json::from_serialize(&envelope).unwrap();
    assert_eq!(value.to_string(), text);
    let envelope: Envelope = value.deserialize_into().unwrap();
    assert_eq!(serde_json::to_string(&envelope).unwrap(), text);
}

#[test]
fn other_formats_deliver_the_parts() {
    let value: Json = toml::from_str("a = [1.5, true, 'x']\nn = 1\n[t]\nc = -2\n").unwrap();
    assert_eq!(value.to_string(), r#"{"a":[1.5,true,"x"],"n":1,"t":{"c":-2}}"#);
    assert_eq!(toml::from_str::<Json>(&toml::to_string(&value).unwrap()).unwrap(), value);
}

#[test]
fn a_mismatch_is_refused_with_serdes_words() {
    let refusal = |text: &str| {
        let value = Json::parse(text.as_bytes()).unwrap();
        value.deserialize_into::<BTreeMap<String, u8>>().unwrap_err().to_string()
    };
    assert_eq!(refusal("[1]"), "invalid type: sequence, expected a map");
    assert_eq!(refusal(r#"{"a":1.0}"#), "invalid type: floating point `1.0`, expected u8");
    let keys = BTreeMap::from([(Some(1), 1), (None, 2)]);
    assert_eq!(
        Json::from_serialize(&keys).unwrap_err().to_string(),
        "a map key must be a string, not null"
    );
}

#[test]
fn nesting_ends_at_the_limit_of_the_text() {
    let nested = |levels: usize| {
        let mut value = Json::Null;
        for _ in 0..levels {
            value = Json::Array(vec![value]);
        }
        value
    };
    assert!(Json::from_serialize(&nested(128)).is_ok());
    assert!(Json::from_serialize(&nested(129)).is_err());
    let raw = |levels: usize| RawValue::from_string(nested(levels).to_string()).unwrap();
    assert!(Json::from_serialize(&[raw(127)]).is_ok());
    assert!(Json::from_serialize(&[raw(128)]).is_err());
}

/// Text with what a compact text does not have: white space, needless escapes, repeated names.
fn loose_text() -> impl Strategy<Value = String> {
    (json(), json(), "[ \t\r\n]{0,3}").prop_map(|(first, second, space)| {
        format!(
            "{space}{{{space}\"\\u0061\\/\\ud83d\\ude80\"{space}:{space}{first},{space}\"b\":\
             [{second}{space}],\"b\"{space}:{second}}}{space}"
        )
    })
}

proptest! {
    #[test]
    fn a_parsed_value_is_measured_as_it_prints(value in json()) {
        let text = value.to_bytes();
        let parsed = MeasuredJson::parse(&text).unwrap();
        prop_assert_eq!(parsed.printed_bytes(), text.len());
        prop_assert_eq!(&parsed, &MeasuredJson::from(value));
    }

    #[test]
    fn loose_text_is_measured_as_it_prints(text in loose_text()) {
        let parsed = MeasuredJson::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(parsed.printed_bytes(), parsed.value().to_bytes().len());
        let walked = MeasuredJson::from(parsed.value().clone());
        prop_assert_eq!(parsed.nesting_levels(), walked.nesting_levels());
        prop_assert_eq!(parsed.printed_bytes(), walked.printed_bytes());
    }

    #[test]
    fn values_survive_serde_json(value in json()) {
        let text = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(&text, &value.to_string());
        let read: Json = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn values_survive_our_own_conversion(value in json()) {
        let converted = Json::from_serialize(&value).unwrap();
        prop_assert_eq!(converted.to_string(), value.to_string());
        let read: Json = value.deserialize_into().unwrap();
        prop_assert_eq!(read.to_string(), value.to_string());
    }
}
