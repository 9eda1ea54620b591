//! Hashing that agrees with equality.
//!
//! Owns the structural hash that orders arrays and objects, and the hash of groups and distinct rows. Does not own the
//! algorithm of the structural hash: it is that of stored values, so that an index and a query agree.

use std::hash::{Hash, Hasher};

use super::Value;
use super::number::exact_integer;

/// The structural hash of a value. Equal values have the same one, and stored values the one that `model` computes.
#[must_use]
pub fn structural_hash(value: &Value) -> u128 {
    // A value with NaN has no stored form. All of them share one hash; the order then compares their contents.
    value.to_json().map_or(0, |json| json.as_ref().map_or(0, model::structural_hash))
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Undefined => state.write_u8(0),
            Self::Null => state.write_u8(1),
            Self::Bool(value) => state.write_u8(2 + u8::from(*value)),
            // `1` and `1.0` are equal, so a double that is a whole number hashes like the integer. The same goes for
            // the two zeros (both become integer 0) and for all NaN bit patterns.
            Self::Integer(integer) => hash_integer(*integer, state),
            Self::Double(double) => match exact_integer(*double) {
                Some(integer) => hash_integer(integer, state),
                None if double.is_nan() => state.write_u8(5),
                None => {
                    state.write_u8(6);
                    state.write_u64(double.to_bits());
                }
            },
            Self::String(text) => {
                state.write_u8(7);
                text.hash(state);
            }
            Self::Array(elements) => {
                state.write_u8(8);
                elements.hash(state);
            }
            Self::Object(object) => {
                state.write_u8(9);
                // Objects are equal regardless of the order of their properties.
                object.sorted().hash(state);
            }
        }
    }
}

fn hash_integer<H: Hasher>(integer: i64, state: &mut H) {
    state.write_u8(4);
    state.write_i64(integer);
}
