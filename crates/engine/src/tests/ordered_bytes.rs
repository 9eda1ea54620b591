//! Bytes sort as the values they stand for.

use std::cmp::Ordering;

use model::{Json, Number, compare};
use proptest::prelude::*;

use crate::ordered_bytes::{
    escaped_length, invert_from, is_text, length_escaped, push_escaped, push_value, unescape,
};

fn encoded(value: Option<&Json>) -> Vec<u8> {
    let mut key = Vec::new();
    push_value(&mut key, value);
    key
}

/// Numbers near every border of the encoding: the exact integers of a double, of 64 bits, and beyond.
fn number() -> impl Strategy<Value = Number> {
    let near = prop_oneof![
        Just(0_i64),
        Just(1 << 53),
        Just(-(1 << 53)),
        Just(1 << 62),
        Just(i64::MAX),
        Just(i64::MIN)
    ];
    let integer =
        (near, -2000_i64..2000).prop_map(|(near, by)| Number::from(near.saturating_add(by)));
    let text = prop_oneof![
        Just("18446744073709551615"),
        Just("9223372036854775808"),
        Just("9223372036854775807.0"),
        Just("-9223372036854775809"),
        Just("9007199254740993.0"),
        Just("1e300"),
        Just("-1e300"),
        Just("5e-324"),
        Just("-0"),
        Just("0.1"),
        Just("1.50")
    ];
    prop_oneof![
        3 => integer,
        1 => any::<i64>().prop_map(Number::from),
        2 => any::<f64>().prop_filter_map("finite", Number::from_f64),
        1 => text.prop_filter_map("number", Number::parse),
    ]
}

/// Characters on both sides of the surrogates, and zero.
fn string() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        Just('\u{0}'),
        Just('a'),
        Just('é'),
        Just('\u{D7FF}'),
        Just('\u{E000}'),
        Just('\u{FFFD}'),
        Just('\u{FFFF}'),
        Just('\u{10000}'),
        Just('\u{10FFFF}'),
        any::<char>()
    ];
    proptest::collection::vec(character, 0..6)
        .prop_map(|characters| characters.into_iter().collect())
}

fn scalar() -> impl Strategy<Value = Option<Json>> {
    prop_oneof![
        1 => Just(None),
        1 => Just(Some(Json::Null)),
        1 => any::<bool>().prop_map(|truth| Some(Json::Bool(truth))),
        6 => number().prop_map(|number| Some(Json::Number(number))),
        6 => string().prop_map(|text| Some(Json::String(text))),
        1 => string().prop_map(|text| Some(Json::Array(vec![Json::String(text)]))),
    ]
}

fn utf16(left: &str, right: &str) -> Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn bytes_sort_as_the_values_do(left in scalar(), right in scalar()) {
        let expected = compare(left.as_ref(), right.as_ref());
        let (left, right) = (encoded(left.as_ref()), encoded(right.as_ref()));
        prop_assert_eq!(left.cmp(&right), expected);
    }

    #[test]
    fn no_encoding_is_the_beginning_of_another(left in scalar(), right in scalar()) {
        let (left, right) = (encoded(left.as_ref()), encoded(right.as_ref()));
        prop_assert!(left == right || !left.starts_with(&right));
    }

    #[test]
    fn inverted_bytes_sort_the_other_way_also_with_something_behind(
        left in scalar(),
        right in scalar(),
        ordinals in any::<(u64, u64)>(),
    ) {
        let expected = compare(left.as_ref(), right.as_ref()).reverse();
        let inverted = |value: Option<&Json>, ordinal: u64| {
            let mut key = encoded(value);
            invert_from(&mut key, 0);
            key.extend_from_slice(&ordinal.to_be_bytes());
            key
        };
        let (left, right) =
            (inverted(left.as_ref(), ordinals.0), inverted(right.as_ref(), ordinals.1));
        prop_assert_eq!(left.cmp(&right), expected.then(ordinals.0.cmp(&ordinals.1)));
    }

    #[test]
    fn strings_sort_by_utf_16(left in string(), right in string()) {
        let expected = utf16(&left, &right);
        let (left, right) = (Json::String(left), Json::String(right));
        prop_assert_eq!(encoded(Some(&left)).cmp(&encoded(Some(&right))), expected);
    }

    #[test]
    fn long_strings_are_told_apart_and_sorted_by_their_beginning(
        left in string(),
        right in string(),
        length in 1000_usize..1200,
    ) {
        let long = |tail: &str| Json::String("x".repeat(length) + tail);
        let key = |tail: &str| encoded(Some(&long(tail)));
        prop_assert_eq!(key(&left) == key(&right), left == right);
        prop_assert!(key(&left) > encoded(Some(&Json::from("w"))));
        prop_assert!(key(&left) < encoded(Some(&Json::from("y"))));
        prop_assert!(key(&left).len() < 3000);
    }

    #[test]
    fn escaped_bytes_are_found_and_given_back_whatever_follows(
        bytes in proptest::collection::vec(prop_oneof![4 => any::<u8>(), 1 => 0..2_u8], 0..40),
        behind in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        let mut key = Vec::new();
        push_escaped(&mut key, &bytes);
        let plain = bytes.iter().flat_map(|&byte| {
            if byte == 0 { vec![0, 0xFF] } else { vec![byte] }
        });
        prop_assert_eq!(&key, &plain.chain([0, 0]).collect::<Vec<_>>());
        let length = key.len();
        prop_assert_eq!(length_escaped(&bytes), length);
        key.extend_from_slice(&behind);
        prop_assert_eq!(escaped_length(&key), Some(length));
        prop_assert_eq!(unescape(&key), Some((bytes, length)));
    }

    #[test]
    fn damaged_bytes_are_refused_not_read(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        if let Some((value, length)) = unescape(&bytes) {
            prop_assert!(length <= bytes.len() && value.len() + 2 <= length);
        }
    }
}

proptest! {
    #[test]
    fn text_is_what_the_standard_library_takes_for_it(
        text in "[a-z\u{e9}\u{1F600}]{0,40}",
        damage in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let mut bytes = text.into_bytes();
        if let Some((at, byte)) = damage && !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        prop_assert_eq!(is_text(&bytes), std::str::from_utf8(&bytes).is_ok());
    }
}
