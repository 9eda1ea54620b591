//! Strings of binary JSON: plain, by number, packed, or a reference to an earlier one.
//!
//! Owns each form. Strings of a user dictionary, which would have to be sent beside the body, are refused: no client
//! sends one.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::budget::ExpansionBudget;
use super::cursor::Cursor;
use super::system_string::system_string;
use super::unknown_marker;
use crate::http::{ApiError, ApiResult};

const LOWER_DIGITS: &[u8; 16] = b"0123456789abcdef";
const UPPER_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
/// The characters of dates.
const DATE_CHARACTERS: &[u8; 16] = b" 0123456789:-.TZ";

/// Reads the string after a marker.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    budget: &mut ExpansionBudget,
    marker: u8,
) -> ApiResult<String> {
    if !matches!(marker, 0xC3..=0xC6) {
        return read_inline(cursor, marker);
    }
    // A reference is the position of an earlier string in one to four bytes.
    let position = cursor.length(usize::from(marker - 0xC2))?;
    // Forward references are not excluded, but a reference leads to a plain string in any case.
    let mut earlier = cursor.seek(position);
    let marker = earlier.byte()?;
    // A reference to another reference is refused, so there are no loops.
    let text = read_inline(&mut earlier, marker)?;
    // After reading: one string is bounded by the body, only their repetition is not.
    budget.take(text.len())?;
    Ok(text)
}

fn read_inline(cursor: &mut Cursor<'_>, marker: u8) -> ApiResult<String> {
    match marker {
        0x20..=0x3F => system_string(marker - 0x20).ok_or_else(|| unknown_marker(marker)),
        0x40..=0x67 => Err(ApiError::invalid_payload(
            "The binary JSON refers to a dictionary that was not sent. Send the item as JSON text.",
        )),
        0x71 | 0x72 => base64_text(cursor, usize::from(marker - 0x70), &STANDARD),
        0x73 | 0x74 => base64_text(cursor, usize::from(marker - 0x72), &URL_SAFE),
        0x75 => guid_text(cursor, LOWER_DIGITS),
        0x76 => guid_text(cursor, UPPER_DIGITS),
        0x77 => Ok(format!("\"{}\"", guid_text(cursor, LOWER_DIGITS)?)),
        0x78 => read_nibbles(cursor, LOWER_DIGITS),
        0x79 => read_nibbles(cursor, UPPER_DIGITS),
        0x7A => read_nibbles(cursor, DATE_CHARACTERS),
        0x7B..=0x7D => {
            let length = cursor.length(1)?;
            let base = cursor.byte()?;
            packed(cursor, length, usize::from(marker - 0x77), base)
        }
        0x7E | 0x7F => {
            let length = cursor.length(usize::from(marker - 0x7D))?;
            packed(cursor, length, 7, 0)
        }
        0x80..=0xBF => plain(cursor, usize::from(marker & 0x3F)),
        0xC0 => cursor.length(1).and_then(|length| plain(cursor, length)),
        0xC1 => cursor.length(2).and_then(|length| plain(cursor, length)),
        0xC2 => cursor.length(4).and_then(|length| plain(cursor, length)),
        _ => Err(unknown_marker(marker)),
    }
}

fn plain(cursor: &mut Cursor<'_>, length: usize) -> ApiResult<String> {
    let text = std::str::from_utf8(cursor.take(length)?);
    text.map(str::to_owned)
        .map_err(|_| ApiError::invalid_payload("The binary JSON holds a string that is not UTF-8."))
}

/// Reads a base64 string, which is stored as the bytes that it encodes: the number of groups of four characters, and
/// how the string was padded.
fn base64_text(
    cursor: &mut Cursor<'_>,
    width: usize,
    alphabet: &impl base64::Engine,
) -> ApiResult<String> {
    // At most two bytes of length, so the product fits.
    let characters = cursor.length(width)? * 4;
    let padding = cursor.byte()?;
    // The complement of a padding means that the string was not padded.
    let (padding, is_padded) = match padding {
        0..=2 => (usize::from(padding), true),
        _ => (usize::from(!padding), false),
    };
    let invalid = || ApiError::invalid_payload("The binary JSON holds an invalid base64 string.");
    let significant =
        characters.checked_sub(padding).filter(|_| padding <= 2).ok_or_else(invalid)?;
    let mut text = alphabet.encode(cursor.take(significant * 3 / 4)?);
    let length = if is_padded { characters } else { significant };
    if length > text.len() {
        return Err(invalid());
    }
    text.truncate(length);
    Ok(text)
}

/// Reads a GUID as text: 32 digits, the low half of each byte first.
fn guid_text(cursor: &mut Cursor<'_>, digits: &[u8; 16]) -> ApiResult<String> {
    let bytes: [u8; 16] = cursor.array()?;
    let mut text = String::with_capacity(38);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(nibble_character(digits, byte & 0x0F));
        text.push(nibble_character(digits, byte >> 4));
    }
    Ok(text)
}

/// Reads a GUID as .NET stores it: the first three groups are little-endian.
pub(super) fn guid_value(cursor: &mut Cursor<'_>) -> ApiResult<String> {
    let first = u32::from_le_bytes(cursor.array()?);
    let (second, third) =
        (u16::from_le_bytes(cursor.array()?), u16::from_le_bytes(cursor.array()?));
    let rest = u64::from_be_bytes(cursor.array()?);
    let (fourth, fifth) = (rest >> 48, rest & 0xFFFF_FFFF_FFFF);
    Ok(format!("{first:08x}-{second:04x}-{third:04x}-{fourth:04x}-{fifth:012x}"))
}

/// Reads bytes. JSON has no bytes, so they become base64.
pub(super) fn blob(cursor: &mut Cursor<'_>, marker: u8) -> ApiResult<String> {
    let width = match marker {
        0xDD => 1,
        0xDE => 2,
        _ => 4,
    };
    let length = cursor.length(width)?;
    Ok(STANDARD.encode(cursor.take(length)?))
}

/// Reads characters of an alphabet of 16: two in each byte, the low half first.
fn read_nibbles(cursor: &mut Cursor<'_>, alphabet: &[u8; 16]) -> ApiResult<String> {
    let length = cursor.length(1)?;
    let bytes = cursor.take(length.div_ceil(2))?;
    let halves = bytes.iter().flat_map(|byte| [byte & 0x0F, byte >> 4]);
    Ok(halves.take(length).map(|half| nibble_character(alphabet, half)).collect())
}

fn nibble_character(alphabet: &[u8; 16], half: u8) -> char {
    char::from(alphabet.get(usize::from(half)).copied().unwrap_or_default())
}

/// Reads characters of a few bits each, the low bits first. Each is an offset from a base character.
fn packed(cursor: &mut Cursor<'_>, length: usize, bits: usize, base: u8) -> ApiResult<String> {
    let bytes = cursor.take((length * bits).div_ceil(8))?;
    let mut text = String::with_capacity(length);
    for index in 0..length {
        let (first, shift) = (index * bits / 8, index * bits % 8);
        let byte = |index: usize| u16::from(bytes.get(index).copied().unwrap_or_default());
        // A character has at most seven bits, so it spans at most two bytes.
        let window = byte(first) | byte(first + 1) << 8;
        let value = window >> shift & ((1 << bits) - 1);
        let code = u16::from(base) + value;
        let character = u8::try_from(code).ok().filter(u8::is_ascii).ok_or_else(|| {
            ApiError::invalid_payload("The binary JSON holds a packed string that is not ASCII.")
        })?;
        text.push(char::from(character));
    }
    Ok(text)
}
