//! Order-preserving encoding of values: the bytes sort like the values.
//!
//! Owns the encoding of JSON values and of partition key values, and the decoding where a reader needs it. Does not own
//! the keys made of them: see `key_layout`.
//!
//! ```text
//! undefined 10 | null 20 | false 30 | true 31
//! number    40, the double with its sign bit flipped (negative: all bits); from 2^53 on the distance to the integer
//! string    50, the escaped text in the order of UTF-16, 00 00; a long one is cut: 00 01 and a hash of the whole
//! array     60 and a hash of its structure; object 70 and a hash of its structure
//! ```

use model::value::structural_hash;
use model::{Json, Number, PartitionKeyValue};

/// The tag of an absent value. Tags order the types.
pub(crate) const UNDEFINED: u8 = 0x10;
pub(crate) const NULL: u8 = 0x20;
pub(crate) const FALSE: u8 = 0x30;
pub(crate) const TRUE: u8 = 0x31;
pub(crate) const NUMBER: u8 = 0x40;
pub(crate) const STRING: u8 = 0x50;
pub(crate) const ARRAY: u8 = 0x60;
pub(crate) const OBJECT: u8 = 0x70;

/// Bytes of a string that take part in the order of terms; longer strings are distinguished by a hash after the cut.
pub(crate) const TERM_STRING_BYTES_MAX: usize = 1024;

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
        // The service hashes partition keys as doubles, so two integers with the same double are one logical
        // partition.
        PartitionKeyValue::Number(number) => push_double(key, *number),
        // Identity, not order: a partition key is never cut, so that two of them never share a logical partition.
        PartitionKeyValue::String(text) => {
            key.push(STRING);
            push_escaped(key, text.as_bytes());
        }
    }
}

/// The length of a partition key value when it is encoded.
pub(crate) fn length_encoded(component: &PartitionKeyValue) -> usize {
    match component {
        PartitionKeyValue::Undefined | PartitionKeyValue::Null | PartitionKeyValue::Bool(_) => 1,
        PartitionKeyValue::Number(_) => 9,
        PartitionKeyValue::String(text) => 1 + length_escaped(text.as_bytes()),
    }
}

/// Decodes consecutive partition key values up to the end.
pub(crate) fn decode_components(mut key: &[u8]) -> Option<Vec<PartitionKeyValue>> {
    // Most containers have one path.
    let mut components = Vec::with_capacity(1);
    while !key.is_empty() {
        let (component, length) = decode_component(key)?;
        components.push(component);
        key = key.get(length..)?;
    }
    Some(components)
}

fn decode_component(key: &[u8]) -> Option<(PartitionKeyValue, usize)> {
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

/// The length of the partition key value at the front; none if it cannot be decoded.
pub(crate) fn component_length(key: &[u8]) -> Option<usize> {
    match *key.first()? {
        UNDEFINED | NULL | FALSE | TRUE => Some(1),
        NUMBER => Some(9),
        STRING => Some(1 + escaped_text_length(key.get(1..)?)?),
        _ => None,
    }
}

/// The length of the escaped bytes at the front, including their terminator, if they are text. A zero byte is never
/// part of another UTF-8 character, so that the bytes between two zeros can be checked separately.
fn escaped_text_length(key: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = key.get(at..)?;
        let zero = first_zero(rest)?;
        if !is_text(rest.get(..zero)?) {
            return None;
        }
        at += zero + 2;
        match *rest.get(zero + 1)? {
            0 => return Some(at),
            0xFF => {}
            _ => return None,
        }
    }
}

/// Whether bytes are UTF-8. Most are ASCII, which is checked several bytes at a time.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    is_ascii(bytes) || std::str::from_utf8(bytes).is_ok()
}

/// Checks eight bytes at a time, also in short texts, where the standard library checks byte by byte.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut seen = words.iter().fold(0, |seen, word| seen | u64::from_ne_bytes(*word));
    match bytes.last_chunk::<8>() {
        // The last eight bytes: the remainder, and some that were checked before.
        Some(last) => seen |= u64::from_ne_bytes(*last),
        None => seen |= rest.iter().fold(0, |seen, byte| seen | u64::from(*byte)),
    }
    seen & HIGH_BITS == 0
}

fn push_double(key: &mut Vec<u8>, double: f64) {
    key.push(NUMBER);
    key.extend_from_slice(&ordered_double(double));
}

/// From this magnitude on, doubles do not represent every integer.
pub(crate) const EXACT_INTEGERS_BELOW: f64 = 9_007_199_254_740_992.0;

/// Appends a number: the double, and for large integers the distance of the exact value from the double.
#[expect(clippy::cast_possible_truncation, reason = "the distance is at most 512")]
fn push_number(key: &mut Vec<u8>, number: &Number) {
    let double = number.as_f64();
    push_double(key, double);
    // Decoders decide by the same comparison whether two more bytes follow, so the encoding ends by itself.
    if double.abs() >= EXACT_INTEGERS_BELOW {
        // Doubles of this size are integers. The gap between two of them is at most 1,024 within the range of i64,
        // half of it is 512.
        let distance = number.as_i64().map_or(0, |exact| i128::from(exact) - double as i128);
        key.extend_from_slice(&(distance as i16 as u16 ^ 0x8000).to_be_bytes());
    }
}

/// Flips the bits of a double so that unsigned byte order is numeric order; both zeros have one encoding.
fn ordered_double(double: f64) -> [u8; 8] {
    let bits = if double == 0.0 { 0 } else { double.to_bits() };
    let ordered = if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits };
    ordered.to_be_bytes()
}

/// Appends a string in the order of its UTF-16 code units; a very long one is cut.
fn push_string(key: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    // May cut a character in two: terms are bytes, and nothing decodes a truncated string.
    let kept = bytes.get(..TERM_STRING_BYTES_MAX).unwrap_or(bytes);
    push_text_bytes(key, kept);
    if kept.len() == bytes.len() {
        key.extend_from_slice(&[0, 0]);
    } else {
        // 01 sorts between the terminator 00 and the escape FF: after the string that ends here, before one that goes
        // on with a zero.
        key.extend_from_slice(&[0, 1]);
        key.extend_from_slice(&structural_hash(&Json::from(text)).to_be_bytes());
    }
}

/// Appends the bytes of a string or of its beginning, without a terminator.
pub(crate) fn push_text_bytes(key: &mut Vec<u8>, kept: &[u8]) {
    key.push(STRING);
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
}

/// Inverts the bytes from `start` on: the same values in descending order.
pub(crate) fn invert_from(key: &mut [u8], start: usize) {
    for byte in key.iter_mut().skip(start) {
        *byte = !*byte;
    }
}

/// Appends bytes with a terminator so that their order is kept: 00 becomes 00 FF, the terminator is 00 00.
pub(crate) fn push_escaped(key: &mut Vec<u8>, bytes: &[u8]) {
    escape_into(key, bytes);
    key.extend_from_slice(&[0, 0]);
}

pub(crate) fn escape_into(key: &mut Vec<u8>, mut bytes: &[u8]) {
    while let Some(zero) = first_zero(bytes) {
        let (head, rest) = bytes.split_at(zero + 1);
        key.extend_from_slice(head);
        key.push(0xFF);
        bytes = rest;
    }
    key.extend_from_slice(bytes);
}

/// The length of bytes when escaped, including the terminator.
pub(crate) fn length_escaped(bytes: &[u8]) -> usize {
    bytes.len() + bytes.iter().filter(|&&byte| byte == 0).count() + 2
}

/// Index of the first zero byte. Checks eight bytes at a time: every item key that is decoded is searched for
/// terminators.
fn first_zero(bytes: &[u8]) -> Option<usize> {
    const LOW_BITS: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The lowest marked byte is zero. Bytes above it may be marked too, because the subtraction borrowed from them.
        let zeros = word.wrapping_sub(LOW_BITS) & !word & HIGH_BITS;
        if zeros != 0 {
            return Some(index * 8 + (zeros.trailing_zeros() / 8) as usize);
        }
    }
    rest.iter().position(|&byte| byte == 0).map(|at| words.len() * 8 + at)
}

/// Decodes escaped bytes from the front; returns them and their escaped length.
pub(crate) fn unescape(key: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    let mut at = 0;
    loop {
        let rest = key.get(at..)?;
        let zero = first_zero(rest)?;
        bytes.extend_from_slice(rest.get(..zero)?);
        at += zero + 2;
        match *rest.get(zero + 1)? {
            0 => return Some((bytes, at)),
            0xFF => bytes.push(0),
            _ => return None,
        }
    }
}

/// The length of the escaped bytes at the front, including their terminator.
pub(crate) fn escaped_length(key: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += first_zero(key.get(at..)?)?;
        match *key.get(at + 1)? {
            0 => return Some(at + 2),
            0xFF => at += 2,
            _ => return None,
        }
    }
}
