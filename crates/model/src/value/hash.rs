//! Structural hashes of values.
//!
//! Owns the hash that orders arrays and objects and finds equal rows. Equal values have equal hashes, regardless of
//! property order and of how numbers are written. Does not own the hashes of partition keys.

use super::{Json, Number};
use crate::murmur::murmur3_x64_128;

/// Hash of a value. Equal values have equal hashes.
#[must_use]
pub fn structural_hash(value: &Json) -> u128 {
    match value {
        Json::Null => murmur3_x64_128(&[], seed::NULL),
        Json::Bool(value) => murmur3_x64_128(&[u8::from(*value)], seed::BOOL),
        Json::Number(number) => number_hash(number),
        Json::String(text) => text_hash(text),
        Json::Array(elements) => array_hash(elements.iter().map(structural_hash)),
        Json::Object(object) => {
            // A sum does not depend on the order of the properties.
            let sum = object.iter().fold(0_u128, |sum, (name, value)| {
                // The hash has a fixed length and comes first, so no other pair of name and value gives the same
                // bytes.
                let mut property = structural_hash(value).to_le_bytes().to_vec();
                property.extend_from_slice(name.as_bytes());
                sum.wrapping_add(murmur3_x64_128(&property, seed::PROPERTY))
            });
            // Hashed once more with the seed of objects: the sum alone is zero for an empty object, and does not show
            // the type.
            murmur3_x64_128(&sum.to_le_bytes(), seed::OBJECT)
        }
    }
}

/// Hash of a string, without building a value.
#[must_use]
pub fn text_hash(text: &str) -> u128 {
    murmur3_x64_128(text.as_bytes(), seed::STRING)
}

/// Hash of an array, from the hashes of its elements.
#[must_use]
pub fn array_hash(elements: impl Iterator<Item = u128>) -> u128 {
    let mut hashes = Vec::with_capacity(16 * elements.size_hint().0);
    elements.for_each(|element| hashes.extend_from_slice(&element.to_le_bytes()));
    murmur3_x64_128(&hashes, seed::ARRAY)
}

/// Hashes integers by value, regardless of how they are written, and other numbers by their double.
fn number_hash(number: &Number) -> u128 {
    match number.as_i64() {
        Some(integer) => murmur3_x64_128(&integer.to_le_bytes(), seed::INTEGER),
        // -0.0 is the integer 0 and never gets here, so equal doubles have equal bytes.
        None => murmur3_x64_128(&number.as_f64().to_le_bytes(), seed::DOUBLE),
    }
}

/// One seed per type, so that values of different types do not collide by having the same bytes.
mod seed {
    pub(super) const NULL: u64 = 1;
    pub(super) const BOOL: u64 = 2;
    pub(super) const INTEGER: u64 = 3;
    pub(super) const DOUBLE: u64 = 4;
    pub(super) const STRING: u64 = 5;
    pub(super) const ARRAY: u64 = 6;
    pub(super) const OBJECT: u64 = 7;
    pub(super) const PROPERTY: u64 = 8;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::arbitrary::json;

    fn hash(text: &str) -> u128 {
        structural_hash(&Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn equal_values_have_equal_hashes() {
        assert_eq!(hash("1"), hash("1.0"));
        assert_eq!(hash("0"), hash("-0"));
        assert_eq!(hash(r#"{"a":1,"b":{"c":2,"d":3}}"#), hash(r#"{"b":{"d":3,"c":2},"a":1e0}"#));
    }

    #[test]
    fn an_array_hashes_like_its_elements_combined() {
        let elements = [text_hash("a"), array_hash(std::iter::empty()), hash("1")];
        assert_eq!(array_hash(elements.into_iter()), hash(r#"["a",[],1]"#));
    }

    #[test]
    fn different_values_hash_differently() {
        let texts = [
            "null",
            "false",
            "true",
            "0",
            "0.5",
            "\"\"",
            "\"0\"",
            "[]",
            "[[]]",
            "[null]",
            "[1,2]",
            "[2,1]",
            "{}",
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            r#"{"b":1}"#,
            r#"{"a":1,"b":1}"#,
            "9007199254740992",
            "9007199254740993",
        ];
        let hashes: std::collections::HashSet<u128> = texts.into_iter().map(hash).collect();
        assert_eq!(hashes.len(), texts.len());
    }

    proptest! {
        #[test]
        fn the_hash_agrees_with_equality(left in json(), right in json()) {
            prop_assert_eq!(structural_hash(&left) == structural_hash(&right), left == right);
        }
    }
}
