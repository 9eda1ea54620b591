//! The total order of values.
//!
//! Owns the order that ORDER BY uses across and within types. Does not own comparison operators, which do not compare
//! values of different types: those belong to the query language.

use std::cmp::Ordering;

use super::{Json, structural_hash};

/// Orders any two values: undefined (`None`), null, false, true, number, string, array, object. Arrays and objects are
/// ordered by their structural hash: the order is arbitrary, but total and stable.
#[must_use]
pub fn compare(left: Option<&Json>, right: Option<&Json>) -> Ordering {
    match (left, right) {
        (Some(Json::Number(left)), Some(Json::Number(right))) => left.compare(right),
        (Some(Json::String(left)), Some(Json::String(right))) => compare_strings(left, right),
        (Some(left @ Json::Array(_)), Some(right @ Json::Array(_)))
        | (Some(left @ Json::Object(_)), Some(right @ Json::Object(_))) => {
            // Equal values have equal hashes, so the order agrees with equality, apart from collisions of 128 bits.
            structural_hash(left).cmp(&structural_hash(right))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Orders strings by their UTF-16 code units, as the service does.
#[must_use]
pub fn compare_strings(left: &str, right: &str) -> Ordering {
    let difference =
        // The first different bytes decide. Within a character, the bytes before them are equal, so both are at the
        // same position of their characters and `utf16_rank` may look at one byte alone.
        left.bytes().zip(right.bytes()).find(|(left_byte, right_byte)| left_byte != right_byte);
    match difference {
        Some((left_byte, right_byte)) => utf16_rank(left_byte).cmp(&utf16_rank(right_byte)),
        None => left.len().cmp(&right.len()),
    }
}

/// Rank of a UTF-8 byte in UTF-16 order. The two orders differ only for characters beyond the basic plane (first byte
/// F0 to F4), whose surrogates sort before U+E000 to U+FFFF (first byte EE or EF).
fn utf16_rank(byte: u8) -> u8 {
    match byte {
        // Moves them to FE and FF, above F0 to F4. UTF-8 uses neither, so no two bytes get the same rank.
        0xEE | 0xEF => byte + 0x10,
        _ => byte,
    }
}

/// Rank of a type, and of the two Booleans, among all types.
fn rank(value: Option<&Json>) -> u8 {
    match value {
        None => 0,
        Some(Json::Null) => 1,
        Some(Json::Bool(false)) => 2,
        Some(Json::Bool(true)) => 3,
        Some(Json::Number(_)) => 4,
        Some(Json::String(_)) => 5,
        Some(Json::Array(_)) => 6,
        Some(Json::Object(_)) => 7,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::arbitrary::{json, text};

    #[test]
    fn types_follow_each_other() {
        let ascending =
            ["null", "false", "true", "-1", "0", "0.5", "1", "\"\"", "\"a\"", "\"b\"", "[]", "{}"]
                .map(|text| Json::parse(text.as_bytes()).unwrap());
        assert_eq!(compare(None, ascending.first()), Ordering::Less);
        assert_eq!(compare(None, None), Ordering::Equal);
        for pair in ascending.windows(2) {
            assert_eq!(compare(pair.first(), pair.last()), Ordering::Less, "{pair:?}");
        }
    }

    #[test]
    fn strings_follow_utf16() {
        assert_eq!(compare_strings("\u{10000}", "\u{E000}"), Ordering::Less);
        assert_eq!(compare_strings("\u{10000}", "\u{D7FF}"), Ordering::Greater);
    }

    fn optional() -> impl Strategy<Value = Option<Json>> {
        proptest::option::weighted(0.9, json())
    }

    proptest! {
        #[test]
        fn strings_compare_as_code_units(left in text(), right in text()) {
            prop_assert_eq!(
                compare_strings(&left, &right),
                left.encode_utf16().cmp(right.encode_utf16())
            );
        }

        #[test]
        fn the_order_is_antisymmetric_and_agrees_with_equality(
            left in optional(),
            right in optional(),
        ) {
            let order = compare(left.as_ref(), right.as_ref());
            prop_assert_eq!(compare(right.as_ref(), left.as_ref()), order.reverse());
            prop_assert_eq!(order == Ordering::Equal, left == right);
        }

        #[test]
        fn the_order_is_transitive(mut values in proptest::collection::vec(optional(), 3)) {
            values.sort_by(|left, right| compare(left.as_ref(), right.as_ref()));
            for (place, left) in values.iter().enumerate() {
                for right in values.iter().skip(place) {
                    prop_assert_ne!(compare(left.as_ref(), right.as_ref()), Ordering::Greater);
                }
            }
        }
    }
}
