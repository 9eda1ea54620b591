//! Between JSON text and values.

use model::Json;
use proptest::prelude::*;

use crate::value::arbitrary::value;
use crate::value::{NotRepresentable, Value};

fn reprint(text: &str) -> String {
    Value::from(&Json::parse(text.as_bytes()).unwrap()).to_text().unwrap()
}

#[test]
fn rows_print_by_the_number_rule() {
    let cases = [
        ("18446744073709551615", "1.8446744073709552e+19"),
        ("9223372036854775807", "9223372036854775807"),
        ("1.0", "1"),
        ("-0.0", "0"),
        ("1e2", "100"),
        (
            r#"{ "b" : [ 1.50 , null ] , "a" : "x\u0001\n\"" }"#,
            r#"{"b":[1.5,null],"a":"x\u0001\n\""}"#,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(reprint(text), expected);
    }
}

#[test]
fn numbers_that_json_lacks_are_rejected() {
    let infinite = Value::array([Value::from(1.0 / 0.0)]);
    assert_eq!(infinite.to_text(), Err(NotRepresentable));
    assert_eq!(infinite.to_json(), Err(NotRepresentable));
    assert_eq!(infinite.to_string(), "[Infinity]");
    assert_eq!(Value::Undefined.to_text(), Ok(String::new()));
    assert!(NotRepresentable.to_string().contains("cannot be represented in JSON"));
}

#[test]
fn undefined_is_left_out_of_what_is_built() {
    let array = Value::array([Value::from(2), Value::Undefined, Value::Null]);
    assert_eq!(array.to_text().unwrap(), "[2,null]");
    let object = Value::object([("a", Value::Undefined), ("b", Value::from(1)), ("b", 2.into())]);
    assert_eq!(object.to_text().unwrap(), r#"{"b":2}"#);
}

proptest! {
    #[test]
    fn text_reads_back_as_the_same_value(value in value()) {
        if let Ok(text) = value.to_text() && value.is_defined() {
            prop_assert_eq!(&Value::from(&Json::parse(text.as_bytes()).unwrap()), &value);
            prop_assert_eq!(Value::from(value.to_json().unwrap().as_ref()), value);
        }
    }
}
