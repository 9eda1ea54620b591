//! Values and bounds of values as term bytes, and back.
//!
//! A term holds only a prefix and a hash of a string longer than `TERM_STRING_BYTES_MAX`. Byte ranges that end at such
//! a string are widened to include all strings with its prefix. The encoding itself is `ordered_bytes`.

use ::query::plan::condition::{Cut, ValueKind, ValueRange, ValueSet};
use model::{Json, Number};

use crate::ordered_bytes::{
    ARRAY, EXACT_INTEGERS_BELOW, FALSE, NULL, NUMBER, OBJECT, STRING, TERM_STRING_BYTES_MAX, TRUE,
    UNDEFINED, push_text_bytes, push_value,
};

/// Greater than the mark of any value.
// Marks go up to 70; inverted ones (descending) are handled by `inverted_range`.
const END: u8 = 0x80;
/// Separates the prefix of a truncated string from its hash. A complete string ends with `[0, 0]`.
const TRUNCATED: [u8; 2] = [0, 1];
const HASH_BYTES: usize = 16;

/// The value that a term contains.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query::source) enum TermValue {
    /// The item has no value at the path.
    Absent,
    /// The complete value.
    Value(Json),
    /// A hash of it: an array, an object or a long string.
    Fingerprint,
}

/// Bytes from a lower bound, inclusive, to an upper bound, exclusive.
pub(in crate::query::source) type ByteRange = (Vec<u8>, Vec<u8>);

/// Encodes a value.
pub(in crate::query::source) fn encode_value(value: Option<&Json>) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_value(&mut bytes, value);
    bytes
}

/// The byte ranges of the defined values of a set, ascending. They may contain other values too.
pub(in crate::query::source) fn byte_ranges(values: &ValueSet) -> Vec<ByteRange> {
    let mut ranges: Vec<ByteRange> = Vec::new();
    for (low, high) in values.ranges().iter().map(byte_range) {
        match ranges.last_mut() {
            // Ranges that meet at a truncated string were both widened to all strings with its prefix.
            // Overlapping ranges would return the terms between them twice.
            Some(last) if low < last.1 => last.1 = high.max(std::mem::take(&mut last.1)),
            _ => ranges.push((low, high)),
        }
    }
    ranges
}

/// The same for a composite index, which also has terms for undefined values.
pub(in crate::query::source) fn composite_ranges(values: &ValueSet) -> Vec<ByteRange> {
    // The mark of undefined is a complete value; the next mark is the first byte string above it.
    let absent = values.undefined.then(|| (vec![UNDEFINED], vec![NULL]));
    absent.into_iter().chain(byte_ranges(values)).collect()
}

/// The range of a descending component: its bytes are inverted, so the bounds trade places.
pub(in crate::query::source) fn inverted_range((low, high): &ByteRange) -> ByteRange {
    // Inverted, an inclusive bound becomes the last one, so the successor makes it exclusive again, and the other way
    // round.
    let invert = |bytes: &[u8]| successor(bytes.iter().map(|byte| !byte).collect());
    (invert(high), invert(low))
}

fn byte_range(range: &ValueRange) -> ByteRange {
    if let Some(point) = range.as_point() {
        let low = encode_value(Some(point));
        // The encodings of values are prefix-free, so no other value begins with these bytes.
        return (low.clone(), successor(low));
    }
    (bound_bytes(&range.low, RangeEnd::Low), bound_bytes(&range.high, RangeEnd::High))
}

#[derive(Clone, Copy, PartialEq)]
enum RangeEnd {
    Low,
    High,
}

/// The bytes of a bound.
fn bound_bytes(cut: &Cut, end: RangeEnd) -> Vec<u8> {
    match cut {
        Cut::BeforeKind(kind) => vec![type_mark(*kind)],
        Cut::End => vec![END],
        Cut::Before(Json::String(text)) | Cut::After(Json::String(text)) if is_truncated(text) => {
            truncated_bound(text, end)
        }
        Cut::AfterPrefix(text) if is_truncated(text) => truncated_bound(text, end),
        Cut::Before(value) => encode_value(Some(value)),
        // Above all terms of that value, whatever their ordinals.
        Cut::After(value) => successor(encode_value(Some(value))),
        Cut::AfterPrefix(prefix) => {
            let mut bytes = Vec::new();
            push_text_bytes(&mut bytes, prefix.as_bytes());
            successor(bytes)
        }
    }
}

/// Whether a bound is a string that terms truncate.
pub(in crate::query::source) fn is_truncated_bound(cut: &Cut) -> bool {
    match cut {
        Cut::Before(value) | Cut::After(value) => value.as_str().is_some_and(is_truncated),
        Cut::AfterPrefix(text) => is_truncated(text),
        Cut::BeforeKind(_) | Cut::End => false,
    }
}

/// Whether terms contain the bounds of all ranges exactly.
pub(in crate::query::source) fn has_exact_bounds(values: &ValueSet) -> bool {
    let is_whole = |cut: &Cut| match cut {
        Cut::Before(value) | Cut::After(value) => match value {
            Json::Null | Json::Bool(_) => true,
            Json::Number(number) => number.as_f64().abs() < EXACT_INTEGERS_BELOW,
            Json::String(text) => !is_truncated(text),
            Json::Array(_) | Json::Object(_) => false,
        },
        Cut::AfterPrefix(text) => !is_truncated(text),
        Cut::BeforeKind(_) | Cut::End => true,
    };
    values.ranges().iter().all(|range| is_whole(&range.low) && is_whole(&range.high))
}

fn is_truncated(text: &str) -> bool {
    text.len() > TERM_STRING_BYTES_MAX
}

/// Truncated strings with the same prefix are ordered by hash, so a range must include all of them or none.
fn truncated_bound(text: &str, end: RangeEnd) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_text_bytes(&mut bytes, text.as_bytes().get(..TERM_STRING_BYTES_MAX).unwrap_or_default());
    bytes.extend_from_slice(&TRUNCATED);
    if end == RangeEnd::Low { bytes } else { successor(bytes) }
}

fn type_mark(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::Null => NULL,
        ValueKind::Bool => FALSE,
        ValueKind::Number => NUMBER,
        ValueKind::String => STRING,
        ValueKind::Array => ARRAY,
        ValueKind::Object => OBJECT,
    }
}

/// The smallest byte string greater than all that start with these bytes.
pub(in crate::query::source) fn successor(mut bytes: Vec<u8>) -> Vec<u8> {
    // FF has no successor in its place; the carry goes to the byte before. Marks are below FF, so one byte always
    // remains.
    while bytes.last() == Some(&0xFF) {
        bytes.pop();
    }
    if let Some(last) = bytes.last_mut() {
        *last += 1;
    }
    bytes
}

/// Decodes the value at the front; also returns its length in bytes. `None` if the bytes are damaged.
pub(in crate::query::source) fn decode_value(bytes: &[u8]) -> Option<(TermValue, usize)> {
    let value = |value: Json| TermValue::Value(value);
    Some(match *bytes.first()? {
        UNDEFINED => (TermValue::Absent, 1),
        NULL => (value(Json::Null), 1),
        FALSE => (value(Json::Bool(false)), 1),
        TRUE => (value(Json::Bool(true)), 1),
        NUMBER => {
            let (number, length) = decode_number(bytes.get(1..)?)?;
            (value(Json::Number(number)), 1 + length)
        }
        STRING => {
            let (text, length) = decode_text(bytes.get(1..)?)?;
            (text.map_or(TermValue::Fingerprint, |text| value(Json::from(text))), 1 + length)
        }
        ARRAY | OBJECT => (TermValue::Fingerprint, 1 + HASH_BYTES),
        _ => return None,
    })
}

/// The bytes up to and including the first truncated string, without its hash: terms with the same bytes can be ordered
/// only by their items. `descending` lists the inverted components.
pub(in crate::query::source) fn truncated_prefix(
    value: &[u8],
    descending: &[bool],
) -> Option<Vec<u8>> {
    // Too short to contain a truncated string. Most terms leave here.
    if value.len() < TERM_STRING_BYTES_MAX {
        return None;
    }
    let mut at = 0;
    for is_descending in descending {
        let rest = inverted_if(value.get(at..)?, *is_descending);
        let (decoded, length) = decode_value(&rest)?;
        if decoded == TermValue::Fingerprint && rest.first() == Some(&STRING) {
            // The hash is the end of the component, inverted or not.
            return Some(value.get(..at + length - HASH_BYTES)?.to_vec());
        }
        at += length;
    }
    None
}

/// The sort key of an item: its term as if long strings were not truncated.
pub(in crate::query::source) fn sort_key(values: &[(Option<&Json>, bool)]) -> Vec<u8> {
    let mut sort_key = Vec::new();
    for (value, is_descending) in values {
        let bytes = match value {
            Some(Json::String(text)) if is_truncated(text) => {
                let mut bytes = Vec::new();
                push_text_bytes(&mut bytes, text.as_bytes());
                // The terminator of a complete string: longer than the limit, such a key equals no term and is
                // recognized by its length.
                bytes.extend_from_slice(&[0, 0]);
                bytes
            }
            value => encode_value(*value),
        };
        sort_key.extend(inverted_if(&bytes, *is_descending));
    }
    sort_key
}

/// The prefix of the terms that a sort key with a long string belongs to; `None` if no string in it is truncated.
pub(in crate::query::source) fn prefix_of_sort_key(
    sort_key: &[u8],
    descending: &[bool],
) -> Option<Vec<u8>> {
    if sort_key.len() < TERM_STRING_BYTES_MAX {
        return None;
    }
    let mut at = 0;
    for is_descending in descending {
        let rest = inverted_if(sort_key.get(at..)?, *is_descending);
        let (decoded, length) = decode_value(&rest)?;
        if let TermValue::Value(Json::String(text)) = &decoded
            && is_truncated(text)
        {
            let mut prefix = sort_key.get(..at)?.to_vec();
            prefix.extend(inverted_if(&truncated_bound(text, RangeEnd::Low), *is_descending));
            return Some(prefix);
        }
        at += length;
    }
    None
}

fn inverted_if(bytes: &[u8], is_descending: bool) -> Vec<u8> {
    bytes.iter().map(|byte| if is_descending { !byte } else { *byte }).collect()
}

fn decode_number(bytes: &[u8]) -> Option<(Number, usize)> {
    // The sign bit is set for positive numbers; negative ones have all bits inverted.
    let ordered = u64::from_be_bytes(bytes.get(..8)?.try_into().ok()?);
    let bits = if ordered >> 63 == 1 { ordered ^ (1 << 63) } else { !ordered };
    let double = f64::from_bits(bits);
    if double.abs() < EXACT_INTEGERS_BELOW {
        return Some((Number::from_f64(double)?, 8));
    }
    // Large integers: the distance from the double, as a biased i16.
    let distance = u16::from_be_bytes(bytes.get(8..10)?.try_into().ok()?) ^ 0x8000;
    // The conversion is exact: doubles from 2^53 on are integers, and beyond the range of i128 the distance is 0 and
    // the cast saturates, which `i64::try_from` refuses.
    let exact = double as i128 + i128::from(distance as i16);
    let number = match i64::try_from(exact) {
        Ok(exact) => Number::parse(&exact.to_string())?,
        Err(_) => Number::from_f64(double)?,
    };
    Some((number, 10))
}

/// Decodes the string at the front, `None` if it is truncated, and its length in bytes.
fn decode_text(bytes: &[u8]) -> Option<(Option<String>, usize)> {
    let mut text = Vec::new();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            0 => match *bytes.get(at + 1)? {
                0 => return Some((String::from_utf8(text).ok(), at + 2)),
                1 => return Some((None, at + 2 + HASH_BYTES)),
                _ => {
                    text.push(0);
                    at += 2;
                    continue;
                }
            },
            // The encoder shifts these two bytes so that strings sort by UTF-16 code units.
            0xF8 => text.push(0xEE),
            0xF9 => text.push(0xEF),
            byte => text.push(byte),
        }
        at += 1;
    }
}
