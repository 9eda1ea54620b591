//! Arithmetic and bits.

use proptest::prelude::*;

use crate::value::Value;
use crate::value::arbitrary::value;
use crate::value::arithmetic::*;
use crate::value::bitwise::*;

fn integer(value: i64) -> Value {
    Value::from(value)
}

#[test]
fn integers_stay_exact_and_widen_on_overflow() {
    let cases = [
        (add(&integer(9_007_199_254_740_993), &integer(1)), "9007199254740994"),
        (add(&integer(i64::MAX), &integer(1)), "9.2233720368547758e+18"),
        (subtract(&integer(3), &Value::from(0.5)), "2.5"),
        (multiply(&integer(i64::MAX), &integer(2)), "1.8446744073709552e+19"),
        (divide(&integer(1), &integer(3)), "0.33333333333333331"),
        (divide(&integer(6), &integer(3)), "2"),
        (divide(&integer(1), &integer(0)), "Infinity"),
        (divide(&integer(0), &integer(0)), "NaN"),
        (divide(&integer(i64::MIN), &integer(-1)), "9.2233720368547758e+18"),
        (remainder(&integer(-7), &integer(5)), "-2"),
        (remainder(&integer(7), &integer(-5)), "2"),
        (remainder(&integer(1), &integer(0)), "NaN"),
        (remainder(&integer(i64::MIN), &integer(-1)), "0"),
        (remainder(&Value::from(5.5), &integer(2)), "1.5"),
        (negate(&integer(i64::MIN)), "9.2233720368547758e+18"),
        (add(&integer(1), &Value::from("1")), "undefined"),
        (add(&Value::Null, &integer(1)), "undefined"),
        (identity(&Value::from("x")), "undefined"),
        (concatenate(&Value::from("a"), &Value::from("b")), "\"ab\""),
        (concatenate(&Value::from("a"), &integer(1)), "undefined"),
    ];
    for (index, (result, expected)) in cases.into_iter().enumerate() {
        assert_eq!(result.to_string(), expected, "case {index}");
    }
}

#[test]
fn bits_follow_javascript() {
    let cases = [
        (bit_and(&integer(6), &integer(3)), 2),
        (bit_or(&integer(6), &integer(3)), 7),
        (bit_xor(&integer(6), &integer(3)), 5),
        (bit_not(&integer(5)), -6),
        (shift_left(&integer(1), &integer(31)), -2_147_483_648),
        (shift_left(&integer(1), &integer(33)), 2),
        (shift_right(&integer(-8), &integer(1)), -4),
        (shift_right_unsigned(&integer(-1), &integer(0)), 4_294_967_295),
        (bit_or(&integer(4_294_967_296), &integer(1)), 1),
        (bit_or(&Value::from(f64::INFINITY), &integer(0)), 0),
    ];
    for (result, expected) in cases {
        assert_eq!(result, integer(expected));
    }
    assert_eq!(bit_and(&Value::from("1"), &integer(1)), Value::Undefined);
}

#[test]
fn fractions_are_cut_off_unverified() {
    assert_eq!(bit_not(&Value::from(1.5)), integer(-2));
    assert_eq!(bit_or(&Value::from(-1.5), &integer(0)), integer(-1));
}

proptest! {
    #[test]
    fn operators_take_anything(left in value(), right in value()) {
        for operate in [
            add, subtract, multiply, divide, remainder, concatenate,
            bit_and, bit_or, bit_xor, shift_left, shift_right, shift_right_unsigned,
        ] {
            let result = operate(&left, &right);
            prop_assert!(left.is_defined() && right.is_defined() || !result.is_defined());
        }
        let _ = (negate(&left), identity(&left), bit_not(&left));
    }
}
