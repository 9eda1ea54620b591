//! Values and places between values as bytes of terms, and back.
//!
//! Owns the byte ranges of a set of values, wide enough where a term holds only the beginning of a long string; and
//! what a term says about its value. Does not own the encoding itself: that is `ordered_bytes`.

use ::query::plan::condition::{Cut, ValueKind, ValueRange, ValueSet};
use model::{Json, Number};

use crate::ordered_bytes::{
    ARRAY, EXACT_INTEGERS_BELOW, FALSE, NULL, NUMBER, OBJECT, STRING, TERM_STRING_BYTES_MAX, TRUE,
    UNDEFINED, push_text_bytes, push_value,
};

/// After every value.
const END: u8 = 0x80;
/// What follows the beginning of a cut string.
const CUT: [u8; 2] = [0, 1];
const HASH_BYTES: usize = 16;

/// What a term says about its value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query::source) enum Decoded {
    /// There is none, or none that the index holds.
    Absent,
    /// All of it.
    Value(Json),
    /// Only a fingerprint: an array, an object or a long string.
    Fingerprint,
}

/// Bytes from a place, included, to another, excluded.
pub(in crate::query::source) type ByteRange = (Vec<u8>, Vec<u8>);

/// The encoded form of a value.
pub(in crate::query::source) fn encoded(value: Option<&Json>) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_value(&mut bytes, value);
    bytes
}

/// The values of a set that are defined, as ranges of bytes in order. May hold more, never less.
pub(in crate::query::source) fn byte_ranges(values: &ValueSet) -> Vec<ByteRange> {
    let mut ranges: Vec<ByteRange> = Vec::new();
    for (low, high) in values.ranges().iter().map(byte_range) {
        match ranges.last_mut() {
            // Two ranges that end and begin at one cut string both take all strings of its beginning.
            Some(last) if low < last.1 => last.1 = high.max(std::mem::take(&mut last.1)),
            _ => ranges.push((low, high)),
        }
    }
    ranges
}

/// The same in a composite index, which has terms for absence too.
pub(in crate::query::source) fn composite_ranges(values: &ValueSet) -> Vec<ByteRange> {
    let absent = values.undefined.then(|| (vec![UNDEFINED], vec![NULL]));
    absent.into_iter().chain(byte_ranges(values)).collect()
}

/// A range in descending order: the bytes are inverted, so its ends change places.
pub(in crate::query::source) fn inverted((low, high): &ByteRange) -> ByteRange {
    let invert = |bytes: &[u8]| successor(bytes.iter().map(|byte| !byte).collect());
    (invert(high), invert(low))
}

fn byte_range(range: &ValueRange) -> ByteRange {
    if let Some(point) = range.as_point() {
        let low = encoded(Some(point));
        return (low.clone(), successor(low));
    }
    (place(&range.low, Side::Low), place(&range.high, Side::High))
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Low,
    High,
}

fn place(cut: &Cut, side: Side) -> Vec<u8> {
    match cut {
        Cut::BeforeKind(kind) => vec![kind_mark(*kind)],
        Cut::End => vec![END],
        Cut::Before(Json::String(text)) | Cut::After(Json::String(text)) if is_long(text) => {
            around_cut(text, side)
        }
        Cut::AfterPrefix(text) if is_long(text) => around_cut(text, side),
        Cut::Before(value) => encoded(Some(value)),
        Cut::After(value) => successor(encoded(Some(value))),
        Cut::AfterPrefix(prefix) => {
            let mut bytes = Vec::new();
            push_text_bytes(&mut bytes, prefix.as_bytes());
            successor(bytes)
        }
    }
}

/// Whether a place lies at a string that its term does not hold.
pub(in crate::query::source) fn is_long_cut(cut: &Cut) -> bool {
    match cut {
        Cut::Before(value) | Cut::After(value) => value.as_str().is_some_and(is_long),
        Cut::AfterPrefix(text) => is_long(text),
        Cut::BeforeKind(_) | Cut::End => false,
    }
}

/// Whether the ends of all ranges of a set are values that terms hold to the last digit and letter.
pub(in crate::query::source) fn is_held_whole(values: &ValueSet) -> bool {
    let is_whole = |cut: &Cut| match cut {
        Cut::Before(value) | Cut::After(value) => match value {
            Json::Null | Json::Bool(_) => true,
            Json::Number(number) => number.as_f64().abs() < EXACT_INTEGERS_BELOW,
            Json::String(text) => !is_long(text),
            Json::Array(_) | Json::Object(_) => false,
        },
        Cut::AfterPrefix(text) => !is_long(text),
        Cut::BeforeKind(_) | Cut::End => true,
    };
    values.ranges().iter().all(|range| is_whole(&range.low) && is_whole(&range.high))
}

fn is_long(text: &str) -> bool {
    text.len() > TERM_STRING_BYTES_MAX
}

/// Strings that share a beginning of the greatest length are not in order: a range takes all of them or none.
fn around_cut(text: &str, side: Side) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_text_bytes(&mut bytes, text.as_bytes().get(..TERM_STRING_BYTES_MAX).unwrap_or_default());
    bytes.extend_from_slice(&CUT);
    if side == Side::Low { bytes } else { successor(bytes) }
}

fn kind_mark(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::Null => NULL,
        ValueKind::Bool => FALSE,
        ValueKind::Number => NUMBER,
        ValueKind::String => STRING,
        ValueKind::Array => ARRAY,
        ValueKind::Object => OBJECT,
    }
}

/// The least bytes above all that begin so.
pub(in crate::query::source) fn successor(mut bytes: Vec<u8>) -> Vec<u8> {
    while bytes.last() == Some(&0xFF) {
        bytes.pop();
    }
    if let Some(last) = bytes.last_mut() {
        *last += 1;
    }
    bytes
}

/// The value at the front, and how many bytes it takes; none when the bytes are damaged.
pub(in crate::query::source) fn decode(bytes: &[u8]) -> Option<(Decoded, usize)> {
    let value = |value: Json| Decoded::Value(value);
    Some(match *bytes.first()? {
        UNDEFINED => (Decoded::Absent, 1),
        NULL => (value(Json::Null), 1),
        FALSE => (value(Json::Bool(false)), 1),
        TRUE => (value(Json::Bool(true)), 1),
        NUMBER => {
            let (number, length) = decode_number(bytes.get(1..)?)?;
            (value(Json::Number(number)), 1 + length)
        }
        STRING => {
            let (text, length) = decode_text(bytes.get(1..)?)?;
            (text.map_or(Decoded::Fingerprint, |text| value(Json::from(text))), 1 + length)
        }
        ARRAY | OBJECT => (Decoded::Fingerprint, 1 + HASH_BYTES),
        _ => return None,
    })
}

/// The bytes up to and including the first string that a term does not hold: what all terms share whose items must be
/// looked at to be put in order. `descending` says which of its values are inverted.
pub(in crate::query::source) fn cut_beginning(
    value: &[u8],
    descending: &[bool],
) -> Option<Vec<u8>> {
    if value.len() < TERM_STRING_BYTES_MAX {
        return None;
    }
    let mut at = 0;
    for is_descending in descending {
        let rest = turned(value.get(at..)?, *is_descending);
        let (decoded, length) = decode(&rest)?;
        if decoded == Decoded::Fingerprint && rest.first() == Some(&STRING) {
            return Some(value.get(..at + length - HASH_BYTES)?.to_vec());
        }
        at += length;
    }
    None
}

/// What a term would be if it held long strings whole.
pub(in crate::query::source) fn uncut(values: &[(Option<&Json>, bool)]) -> Vec<u8> {
    let mut rank = Vec::new();
    for (value, is_descending) in values {
        let bytes = match value {
            Some(Json::String(text)) if is_long(text) => {
                let mut bytes = Vec::new();
                push_text_bytes(&mut bytes, text.as_bytes());
                bytes.extend_from_slice(&[0, 0]);
                bytes
            }
            value => encoded(*value),
        };
        rank.extend(turned(&bytes, *is_descending));
    }
    rank
}

/// The bytes that the terms of such a rank begin with; none when terms hold it whole.
pub(in crate::query::source) fn beginning_of_uncut(
    rank: &[u8],
    descending: &[bool],
) -> Option<Vec<u8>> {
    if rank.len() < TERM_STRING_BYTES_MAX {
        return None;
    }
    let mut at = 0;
    for is_descending in descending {
        let rest = turned(rank.get(at..)?, *is_descending);
        let (decoded, length) = decode(&rest)?;
        if let Decoded::Value(Json::String(text)) = &decoded
            && is_long(text)
        {
            let mut beginning = rank.get(..at)?.to_vec();
            beginning.extend(turned(&around_cut(text, Side::Low), *is_descending));
            return Some(beginning);
        }
        at += length;
    }
    None
}

fn turned(bytes: &[u8], is_descending: bool) -> Vec<u8> {
    bytes.iter().map(|byte| if is_descending { !byte } else { *byte }).collect()
}

fn decode_number(bytes: &[u8]) -> Option<(Number, usize)> {
    let ordered = u64::from_be_bytes(bytes.get(..8)?.try_into().ok()?);
    let bits = if ordered >> 63 == 1 { ordered ^ (1 << 63) } else { !ordered };
    let double = f64::from_bits(bits);
    if double.abs() < EXACT_INTEGERS_BELOW {
        return Some((Number::from_f64(double)?, 8));
    }
    let distance = u16::from_be_bytes(bytes.get(8..10)?.try_into().ok()?) ^ 0x8000;
    let exact = double as i128 + i128::from(distance as i16);
    let number = match i64::try_from(exact) {
        Ok(exact) => Number::parse(&exact.to_string())?,
        Err(_) => Number::from_f64(double)?,
    };
    Some((number, 10))
}

/// The string at the front, none when it is cut, and how many bytes it takes.
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
            0xF8 => text.push(0xEE),
            0xF9 => text.push(0xEF),
            byte => text.push(byte),
        }
        at += 1;
    }
}
