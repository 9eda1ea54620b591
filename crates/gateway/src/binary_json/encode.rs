//! Encodes binary JSON.
//!
//! Owns the few forms that are written: plain strings, integers, doubles, arrays and objects with length and count.

use model::{Json, Number};

use super::decode::FORMAT_MARKER;

/// Encodes a body.
pub(crate) fn encode(value: &Json) -> Vec<u8> {
    let mut bytes = vec![FORMAT_MARKER];
    write(value, &mut bytes);
    bytes
}

fn write(value: &Json, bytes: &mut Vec<u8>) {
    match value {
        Json::Null => bytes.push(0xD0),
        Json::Bool(false) => bytes.push(0xD1),
        Json::Bool(true) => bytes.push(0xD2),
        Json::Number(number) => write_number(number, bytes),
        Json::String(text) => write_string(text, bytes),
        Json::Array(elements) if elements.is_empty() => bytes.push(0xE0),
        Json::Array(elements) => {
            let mut inner = Vec::new();
            // The length comes before the members, so they are written aside first.
            elements.iter().for_each(|element| write(element, &mut inner));
            write_framed(0xE5, elements.len(), &inner, bytes);
        }
        Json::Object(object) if object.is_empty() => bytes.push(0xE8),
        Json::Object(object) => {
            let mut inner = Vec::new();
            for (name, value) in object.iter() {
                write_string(name, &mut inner);
                write(value, &mut inner);
            }
            write_framed(0xED, object.len(), &inner, bytes);
        }
    }
}

fn write_number(number: &Number, bytes: &mut Vec<u8>) {
    if let Some(whole) = number.as_i64() {
        match u8::try_from(whole) {
            Ok(small @ 0..=31) => bytes.push(small),
            _ => {
                bytes.push(0xCB);
                bytes.extend_from_slice(&whole.to_le_bytes());
            }
        }
    // Above i64 but still whole; as a double it would lose its last digits.
    } else if let Ok(whole) = number.text().parse::<u64>() {
        bytes.push(0xC7);
        bytes.extend_from_slice(&whole.to_le_bytes());
    } else {
        bytes.push(0xCC);
        bytes.extend_from_slice(&number.as_f64().to_le_bytes());
    }
}

fn write_string(text: &str, bytes: &mut Vec<u8>) {
    let length = text.len();
    if let Ok(short @ 0..=0x3F) = u8::try_from(length) {
        bytes.push(0x80 | short);
    } else if let Ok(length) = u8::try_from(length) {
        bytes.extend_from_slice(&[0xC0, length]);
    } else if let Ok(length) = u16::try_from(length) {
        bytes.push(0xC1);
        bytes.extend_from_slice(&length.to_le_bytes());
    } else {
        bytes.push(0xC2);
        bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    }
    bytes.extend_from_slice(text.as_bytes());
}

/// Writes an array or object: marker, length and count, then the members. Length and count have the same width.
fn write_framed(marker: u8, count: usize, inner: &[u8], bytes: &mut Vec<u8>) {
    let length = inner.len();
    // Each member takes at least one byte, so the length decides the width.
    if let (Ok(length), Ok(count)) = (u8::try_from(length), u8::try_from(count)) {
        bytes.extend_from_slice(&[marker, length, count]);
    } else if let (Ok(length), Ok(count)) = (u16::try_from(length), u16::try_from(count)) {
        bytes.push(marker + 1);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&count.to_le_bytes());
    } else {
        bytes.push(marker + 2);
        bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }
    bytes.extend_from_slice(inner);
}
