//! The binary encodings of partition key components.
//!
//! Owns the bytes that are hashed, and the ordered encodings that version 1 appends to its hash. Does not own the
//! hashes or when each encoding is used: see `effective_partition_key`.

use super::PartitionKeyValue;

/// Version 1 uses only this many bytes of a string.
const V1_STRING_BYTES_MAX: usize = 100;

const UNDEFINED: u8 = 0x00;
const NULL: u8 = 0x01;
const FALSE: u8 = 0x02;
const TRUE: u8 = 0x03;
const NUMBER: u8 = 0x05;
const STRING: u8 = 0x08;

/// Appends the bytes that version 1 hashes.
pub(super) fn append_v1_hashed(component: &PartitionKeyValue, bytes: &mut Vec<u8>) {
    match component {
        PartitionKeyValue::String(text) => {
            bytes.push(STRING);
            // May cut a character in half; only the bytes are hashed.
            bytes.extend(text.bytes().take(V1_STRING_BYTES_MAX));
            bytes.push(0x00);
        }
        other => append_v2_hashed(other, bytes),
    }
}

/// Appends the bytes that version 2 hashes.
pub(super) fn append_v2_hashed(component: &PartitionKeyValue, bytes: &mut Vec<u8>) {
    match component {
        PartitionKeyValue::Number(value) => {
            bytes.push(NUMBER);
            // Adding zero turns -0.0 into 0.0: both must hash to the same value.
            bytes.extend_from_slice(&(value + 0.0).to_le_bytes());
        }
        PartitionKeyValue::String(text) => {
            bytes.reserve(text.len() + 2);
            bytes.push(STRING);
            bytes.extend_from_slice(text.as_bytes());
            // The end of a string. UTF-8 never contains it, so no string is a prefix of another.
            bytes.push(0xFF);
        }
        other => bytes.push(marker(other)),
    }
}

/// Appends the ordered encoding that version 1 puts after its hash.
pub(super) fn append_v1_ordered(component: &PartitionKeyValue, bytes: &mut Vec<u8>) {
    match component {
        PartitionKeyValue::Number(value) => append_ordered_number(*value, bytes),
        PartitionKeyValue::String(text) => {
            bytes.push(STRING);
            // Incrementing each byte keeps the order and frees zero as the terminator. UTF-8 never contains 0xFF, so no
            // byte wraps.
            bytes.extend(text.bytes().take(V1_STRING_BYTES_MAX).map(|byte| byte.wrapping_add(1)));
            bytes.push(0x00);
        }
        other => bytes.push(marker(other)),
    }
}

/// Appends a double so that the bytes compare like the numbers: the first byte has eight bits, each further byte has
/// seven bits and a low bit that says whether another byte follows.
pub(super) fn append_ordered_number(value: f64, bytes: &mut Vec<u8>) {
    let bits = (value + 0.0).to_bits();
    // Positive doubles order like their bits; the sign bit lifts them above the negative ones. Negative doubles order
    // the other way round, which negation reverses.
    let mut rest = if bits >> 63 == 0 { bits ^ (1 << 63) } else { bits.wrapping_neg() };
    bytes.push(NUMBER);
    bytes.push((rest >> 56) as u8);
    rest <<= 8;
    loop {
        let byte = (rest >> 56) as u8;
        rest <<= 7;
        if rest == 0 {
            bytes.push(byte & 0xFE);
            return;
        }
        bytes.push(byte | 0x01);
    }
}

/// Decodes an ordered number; `None` when the bytes do not start with one.
pub(super) fn read_ordered_number(bytes: &[u8]) -> Option<f64> {
    let (&[NUMBER, first], mut rest) = bytes.split_first_chunk::<2>()? else {
        return None;
    };
    let mut bits = u64::from(first) << 56;
    let mut shift = 56_u32;
    while let Some((byte, after)) = rest.split_first() {
        // The last of the nine bytes holds fewer bits than seven.
        bits |= (u64::from(byte & 0xFE) << 56).checked_shr(64 - shift).unwrap_or(0);
        shift = shift.checked_sub(7)?;
        rest = after;
        if byte & 0x01 == 0 {
            // The encoding has set the top bit of positive numbers.
            let positive = bits >> 63 == 1;
            let value = if positive { bits ^ (1 << 63) } else { bits.wrapping_neg() };
            return Some(f64::from_bits(value));
        }
    }
    None
}

/// The byte of a component that is its own encoding.
fn marker(component: &PartitionKeyValue) -> u8 {
    match component {
        PartitionKeyValue::Undefined => UNDEFINED,
        PartitionKeyValue::Null => NULL,
        PartitionKeyValue::Bool(false) => FALSE,
        PartitionKeyValue::Bool(true) => TRUE,
        PartitionKeyValue::Number(_) => NUMBER,
        PartitionKeyValue::String(_) => STRING,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ordered(value: f64) -> Vec<u8> {
        let mut bytes = Vec::new();
        append_ordered_number(value, &mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn ordered_numbers_compare_as_numbers(left in any::<f64>(), right in any::<f64>()) {
            prop_assume!(left.is_finite() && right.is_finite());
            let expected = left.partial_cmp(&right).unwrap();
            prop_assert_eq!(ordered(left).cmp(&ordered(right)), expected);
        }

        #[test]
        fn hashes_survive_their_ordered_form(hash: u32) {
            prop_assert_eq!(read_ordered_number(&ordered(f64::from(hash))), Some(f64::from(hash)));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            let _ = read_ordered_number(&bytes);
            let _ = read_ordered_number(&[&[NUMBER], bytes.as_slice()].concat());
        }
    }

    #[test]
    fn other_bytes_are_not_a_number() {
        assert_eq!(read_ordered_number(b""), None);
        assert_eq!(read_ordered_number(&[NUMBER]), None);
        assert_eq!(read_ordered_number(&[STRING, 0x80, 0x00]), None);
        assert_eq!(read_ordered_number(&[NUMBER, 0x80, 0x01]), None);
        assert_eq!(read_ordered_number(&[NUMBER, 0x80, 0x00]), Some(0.0));
    }
}
