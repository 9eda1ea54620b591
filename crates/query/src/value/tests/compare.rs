//! Comparison, order and hash, and the laws between them.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use model::Json;
use proptest::prelude::*;

use crate::value::arbitrary::value;
use crate::value::*;

fn parse(text: &str) -> Value {
    if text == "undefined" {
        return Value::Undefined;
    }
    Value::from(&Json::parse(text.as_bytes()).unwrap())
}

#[test]
fn equality_is_three_valued() {
    let cases = [
        ("1", "1.0", Some(true)),
        ("1", "2", Some(false)),
        ("1", "\"1\"", Some(false)),
        ("null", "null", Some(true)),
        ("null", "false", Some(false)),
        ("undefined", "1", None),
        ("undefined", "undefined", None),
        ("[1,2]", "[1,2.0]", Some(true)),
        ("[1,2]", "[2,1]", Some(false)),
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, Some(true)),
        (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, Some(false)),
        ("9007199254740993", "9007199254740992.0", Some(false)),
    ];
    for (left, right, expected) in cases {
        assert_eq!(equal(&parse(left), &parse(right)), expected, "{left} = {right}");
        assert_eq!(not_equal(&parse(left), &parse(right)), expected.map(|answer| !answer));
    }
    assert_eq!(equal(&Value::from(f64::NAN), &Value::from(f64::NAN)), Some(false));
}

#[test]
fn only_primitives_of_one_type_relate() {
    let cases = [
        ("1", "2.5", Some(true)),
        ("\"a\"", "\"b\"", Some(true)),
        ("false", "true", Some(true)),
        ("null", "null", Some(false)),
        ("1", "\"2\"", None),
        ("null", "1", None),
        ("[1]", "[2]", None),
        ("{}", "{}", None),
        ("undefined", "1", None),
    ];
    for (left, right, expected) in cases {
        assert_eq!(less(&parse(left), &parse(right)), expected, "{left} < {right}");
    }
    assert_eq!(less_or_equal(&Value::Null, &Value::Null), Some(true));
    assert_eq!(greater_or_equal(&Value::Null, &Value::Null), Some(true));
    assert_eq!(greater(&Value::from(f64::NAN), &Value::from(1)), None);
}

#[test]
fn between_and_in_follow_the_logic() {
    assert_eq!(between(&parse("2"), &parse("1"), &parse("3")), Some(true));
    assert_eq!(between(&parse("0"), &parse("1"), &parse("\"x\"")), Some(false));
    assert_eq!(between(&parse("2"), &parse("1"), &parse("\"x\"")), None);
    assert_eq!(in_list(&parse("1"), &[parse("2"), parse("1.0")]), Some(true));
    assert_eq!(in_list(&parse("1"), &[parse("2"), Value::Undefined]), None);
    assert_eq!(in_list(&parse("1"), &[parse("2")]), Some(false));
    assert_eq!(in_list(&Value::Undefined, &[]), None);
}

#[test]
fn types_follow_each_other() {
    let ascending =
        ["undefined", "null", "false", "true", "-1", "0", "0.5", "1", "\"\"", "\"a\"", "[]", "{}"]
            .map(parse);
    for pair in ascending.windows(2) {
        assert_eq!(total_order(&pair[0], &pair[1]), Ordering::Less, "{pair:?}");
    }
    assert_eq!(
        total_order(&Value::from(f64::NAN), &Value::from(f64::NEG_INFINITY)),
        Ordering::Less
    );
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #[test]
    fn the_order_is_antisymmetric_and_agrees_with_equality(left in value(), right in value()) {
        let order = total_order(&left, &right);
        prop_assert_eq!(total_order(&right, &left), order.reverse());
        prop_assert_eq!(order == Ordering::Equal, left == right);
        prop_assert_eq!(total_order(&left, &left), Ordering::Equal);
    }

    #[test]
    fn the_order_is_transitive(mut values in proptest::collection::vec(value(), 3)) {
        values.sort_by(total_order);
        for (index, left) in values.iter().enumerate() {
            for right in values.iter().skip(index) {
                prop_assert_ne!(total_order(left, right), Ordering::Greater);
            }
        }
    }

    #[test]
    fn equal_values_hash_alike(left in value(), right in value()) {
        if left == right {
            prop_assert_eq!(hash(&left), hash(&right));
            prop_assert_eq!(structural_hash(&left), structural_hash(&right));
        }
    }

    #[test]
    fn the_order_is_that_of_stored_values(left in value(), right in value()) {
        if let (Ok(left_json), Ok(right_json)) = (left.to_json(), right.to_json()) {
            prop_assert_eq!(
                total_order(&left, &right),
                model::compare(left_json.as_ref(), right_json.as_ref())
            );
        }
    }

    #[test]
    fn relations_agree_with_the_order(left in value(), right in value()) {
        if let Some(order) = relate(&left, &right) {
            prop_assert_eq!(order, total_order(&left, &right));
            prop_assert_eq!(equal(&left, &right), Some(order.is_eq()));
        }
    }
}
