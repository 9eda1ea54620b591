//! Values as bytes that sort like the values.
//!
//! Owns the order-preserving encoding of JSON values and of partition key values, both directions where a reader needs
//! it. Does not own which keys are made of them: `key_layout` does.

use model::value::structural_hash;
use model::{Json, Number, PartitionKeyValue};

const UNDEFINED: u8 = 0x10;
const NULL: u8 = 0x20;
const FALSE: u8 = 0x30;
const TRUE: u8 = 0x31;
const NUMBER: u8 = 0x40;
const STRING: u8 = 0x50;
const ARRAY: u8 = 0x60;
const OBJECT: u8 = 0x70;

/// Bytes of a string that take part in the order of terms; longer ones are told apart by a hash after the cut.
const TERM_STRING_BYTES_MAX: usize = 1024;

/// Encodes a value so that byte order is the order of values; `None` is undefined.
pub(crate) fn push_value(key: &mut Vec<u8>, value: Option<&Json>) {
    match value {
        None => key.push(UNDEFINED),
        Some(Json::Null) => key.push(NULL),
        Some(Json::Bool(false)) => key.push(FALSE),
        Some(Json::Bool(true)) => key.push(TRUE),
        Some(Json::Number(number)) => push_number(key, number),
        Some(Json::String(text)) => push_string(key, text),
        Some(array @ Json::Array(_)) => {
            key.push(ARRAY);
            key.extend_from_slice(&structural_hash(array).to_be_bytes());
        }
        Some(object @ Json::Object(_)) => {
            key.push(OBJECT);
            key.extend_from_slice(&structural_hash(object).to_be_bytes());
        }
    }
}

pub(crate) fn push_component(key: &mut Vec<u8>, component: &PartitionKeyValue) {
    match component {
        PartitionKeyValue::Undefined => key.push(UNDEFINED),
        PartitionKeyValue::Null => key.push(NULL),
        PartitionKeyValue::Bool(false) => key.push(FALSE),
        PartitionKeyValue::Bool(true) => key.push(TRUE),
        PartitionKeyValue::Number(number) => push_double(key, *number),
        // Identity, not order: a partition key is never cut, so that two of them never share a logical partition.
        PartitionKeyValue::String(text) => {
            key.push(STRING);
            push_escaped(key, text.as_bytes());
        }
    }
}

pub(crate) fn decode_component(key: &[u8]) -> Option<(PartitionKeyValue, usize)> {
    Some(match *key.first()? {
        UNDEFINED => (PartitionKeyValue::Undefined, 1),
        NULL => (PartitionKeyValue::Null, 1),
        FALSE => (PartitionKeyValue::Bool(false), 1),
        TRUE => (PartitionKeyValue::Bool(true), 1),
        NUMBER => {
            let ordered = u64::from_be_bytes(key.get(1..9)?.try_into().ok()?);
            let bits = if ordered >> 63 == 1 { ordered ^ (1 << 63) } else { !ordered };
            (PartitionKeyValue::Number(f64::from_bits(bits)), 9)
        }
        STRING => {
            let (text, length) = unescape(key.get(1..)?)?;
            (PartitionKeyValue::String(String::from_utf8(text).ok()?), 1 + length)
        }
        _ => return None,
    })
}

/// The length of the partition key value at the front.
pub(crate) fn component_length(key: &[u8]) -> Option<usize> {
    match *key.first()? {
        UNDEFINED | NULL | FALSE | TRUE => Some(1),
        NUMBER => Some(9),
        STRING => Some(1 + escaped_length(key.get(1..)?)?),
        _ => None,
    }
}

fn push_double(key: &mut Vec<u8>, double: f64) {
    key.push(NUMBER);
    key.extend_from_slice(&ordered_double(double));
}

/// Doubles at this magnitude and beyond no longer hold every integer.
const EXACT_INTEGERS_BELOW: f64 = 9_007_199_254_740_992.0;

/// A double in order, and for large numbers the distance of the exact integer from it.
#[expect(clippy::cast_possible_truncation, reason = "the distance is at most 512")]
fn push_number(key: &mut Vec<u8>, number: &Number) {
    let double = number.as_f64();
    push_double(key, double);
    if double.abs() >= EXACT_INTEGERS_BELOW {
        let distance = number.as_i64().map_or(0, |exact| i128::from(exact) - double as i128);
        key.extend_from_slice(&(distance as i16 as u16 ^ 0x8000).to_be_bytes());
    }
}

/// Flips the bits of a double so that unsigned byte order is numeric order; both zeros are one.
fn ordered_double(double: f64) -> [u8; 8] {
    let bits = if double == 0.0 { 0 } else { double.to_bits() };
    let ordered = if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits };
    ordered.to_be_bytes()
}

/// A string in the order of its UTF-16 code units, cut when very long.
fn push_string(key: &mut Vec<u8>, text: &str) {
    key.push(STRING);
    let bytes = text.as_bytes();
    let kept = bytes.get(..TERM_STRING_BYTES_MAX).unwrap_or(bytes);
    if kept.iter().any(|byte| matches!(byte, 0 | 0xEE | 0xEF)) {
        for &byte in kept {
            // In UTF-16 the surrogates of high characters sort before U+E000..U+FFFF, whose UTF-8 starts with EE or EF.
            match byte {
                0 => key.extend_from_slice(&[0, 0xFF]),
                0xEE => key.push(0xF8),
                0xEF => key.push(0xF9),
                _ => key.push(byte),
            }
        }
    } else {
        key.extend_from_slice(kept);
    }
    if kept.len() == bytes.len() {
        key.extend_from_slice(&[0, 0]);
    } else {
        key.extend_from_slice(&[0, 1]);
        key.extend_from_slice(&structural_hash(&Json::from(text)).to_be_bytes());
    }
}

/// Inverts the bytes from `start` on: the same values in descending order.
pub(crate) fn invert_from(key: &mut [u8], start: usize) {
    for byte in key.iter_mut().skip(start) {
        *byte = !*byte;
    }
}

/// Bytes that end by themselves and keep their order: 00 becomes 00 FF, the end is 00 00.
pub(crate) fn push_escaped(key: &mut Vec<u8>, bytes: &[u8]) {
    escape_into(key, bytes);
    key.extend_from_slice(&[0, 0]);
}

pub(crate) fn escape_into(key: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        key.push(byte);
        if byte == 0 {
            key.push(0xFF);
        }
    }
}

/// Reads escaped bytes from the front; returns them and the length they took.
pub(crate) fn unescape(key: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    let mut at = 0;
    loop {
        let rest = key.get(at..)?;
        let zero = rest.iter().position(|&byte| byte == 0)?;
        bytes.extend_from_slice(rest.get(..zero)?);
        at += zero + 2;
        match *rest.get(zero + 1)? {
            0 => return Some((bytes, at)),
            0xFF => bytes.push(0),
            _ => return None,
        }
    }
}

/// The length of the escaped bytes at the front, with their end.
pub(crate) fn escaped_length(key: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += key.get(at..)?.iter().position(|&byte| byte == 0)?;
        match *key.get(at + 1)? {
            0 => return Some(at + 2),
            0xFF => at += 2,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::compare;
    use proptest::prelude::*;

    use super::*;

    fn encoded(value: &Json) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_value(&mut bytes, Some(value));
        bytes
    }

    /// Scalars with a taste for the places where an encoding breaks: large integers beside their doubles, both zeros,
    /// strings that are prefixes of each other, zero bytes, characters around the surrogates.
    fn scalar() -> impl Strategy<Value = Json> {
        let near = (-3_i64..=3, prop_oneof![Just(1_i64 << 53), Just(1_i64 << 62), Just(0)]);
        let number = prop_oneof![
            any::<i64>().prop_map(Number::from),
            near.prop_map(|(offset, base)| Number::from(base + offset)),
            any::<f64>().prop_filter_map("finite", Number::from_f64),
            prop_oneof![Just(0.0), Just(-0.0), Just(9_007_199_254_740_992.0), Just(1e300)]
                .prop_filter_map("finite", Number::from_f64),
        ];
        let character = prop_oneof![
            any::<char>(),
            Just('\0'),
            Just('\u{1}'),
            Just('a'),
            Just('\u{D7FF}'),
            Just('\u{E000}'),
            Just('\u{FFFF}'),
            Just('\u{10000}'),
        ];
        let text = proptest::collection::vec(character, 0..6)
            .prop_map(|characters| Json::from(characters.into_iter().collect::<String>()));
        prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            number.prop_map(Json::Number),
            text,
        ]
    }

    proptest! {
        #[test]
        fn bytes_sort_like_the_values(left in scalar(), right in scalar()) {
            let order = compare(Some(&left), Some(&right));
            prop_assert_eq!(encoded(&left).cmp(&encoded(&right)), order, "{} {}", left, right);
        }

        #[test]
        fn inverted_bytes_sort_the_other_way_round(left in scalar(), right in scalar()) {
            let invert = |value: &Json| {
                let mut bytes = encoded(value);
                invert_from(&mut bytes, 0);
                bytes
            };
            let order = compare(Some(&right), Some(&left));
            prop_assert_eq!(invert(&left).cmp(&invert(&right)), order);
        }

        #[test]
        fn no_value_is_the_beginning_of_another(left in scalar(), right in scalar()) {
            let (left, right) = (encoded(&left), encoded(&right));
            prop_assert!(left == right || !right.starts_with(&left));
        }

        #[test]
        fn escaped_bytes_come_back_and_keep_their_order(
            left in proptest::collection::vec(0_u8..4, 0..8),
            right in proptest::collection::vec(0_u8..4, 0..8),
            rest in any::<Vec<u8>>(),
        ) {
            let escaped = |bytes: &[u8]| {
                let mut key = Vec::new();
                push_escaped(&mut key, bytes);
                key
            };
            prop_assert_eq!(escaped(&left).cmp(&escaped(&right)), left.cmp(&right));
            let length = escaped(&left).len();
            let followed = [escaped(&left), rest].concat();
            prop_assert_eq!(unescape(&followed), Some((left, length)));
        }
    }

    #[test]
    fn undefined_sorts_before_everything() {
        let mut undefined = Vec::new();
        push_value(&mut undefined, None);
        assert!(undefined < encoded(&Json::Null));
    }

    #[test]
    fn long_strings_are_told_apart_after_the_cut() {
        let long = |end: &str| encoded(&Json::from("x".repeat(TERM_STRING_BYTES_MAX) + end));
        assert_ne!(long("a"), long("b"));
        assert!(long("") < long("a"));
        assert!(long("a").len() < TERM_STRING_BYTES_MAX + 32);
    }
}
