//! Strings of the binary form: plain, named by a number, packed, or a reference to an earlier one.
//!
//! Owns each form. Strings of a dictionary that the user would have to send beside the body are refused by name: no
//! client sends one.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::budget::Budget;
use super::cursor::Cursor;
use super::system_string::system_string;
use super::unknown;
use crate::exchange::{Failure, Outcome};

const LOWER_DIGITS: &[u8; 16] = b"0123456789abcdef";
const UPPER_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
/// What dates are written with.
const DATE_LETTERS: &[u8; 16] = b" 0123456789:-.TZ";

/// The string after its marker.
pub(crate) fn read(cursor: &mut Cursor<'_>, budget: &mut Budget, marker: u8) -> Outcome<String> {
    if !matches!(marker, 0xC3..=0xC6) {
        return inline(cursor, marker);
    }
    let at = cursor.length(usize::from(marker - 0xC2))?;
    let mut earlier = cursor.at(at);
    let marker = earlier.byte()?;
    // A reference leads to a text and never to another reference, so it ends.
    let text = inline(&mut earlier, marker)?;
    budget.take(text.len())?;
    Ok(text)
}

fn inline(cursor: &mut Cursor<'_>, marker: u8) -> Outcome<String> {
    match marker {
        0x20..=0x3F => system_string(marker - 0x20).ok_or_else(|| unknown(marker)),
        0x40..=0x67 => Err(Failure::invalid_payload(
            "The binary JSON names a string of a dictionary that was not sent. Send the item as JSON text.",
        )),
        0x71 | 0x72 => base64_text(cursor, usize::from(marker - 0x70), &STANDARD),
        0x73 | 0x74 => base64_text(cursor, usize::from(marker - 0x72), &URL_SAFE),
        0x75 => guid_text(cursor, LOWER_DIGITS),
        0x76 => guid_text(cursor, UPPER_DIGITS),
        0x77 => Ok(format!("\"{}\"", guid_text(cursor, LOWER_DIGITS)?)),
        0x78 => letters(cursor, LOWER_DIGITS),
        0x79 => letters(cursor, UPPER_DIGITS),
        0x7A => letters(cursor, DATE_LETTERS),
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
        _ => Err(unknown(marker)),
    }
}

fn plain(cursor: &mut Cursor<'_>, length: usize) -> Outcome<String> {
    let text = std::str::from_utf8(cursor.take(length)?);
    text.map(str::to_owned)
        .map_err(|_| Failure::invalid_payload("The binary JSON holds a string that is not UTF-8."))
}

/// A text of base64 as the bytes it stands for: groups of four letters, and how it was padded at its end.
fn base64_text(
    cursor: &mut Cursor<'_>,
    width: usize,
    alphabet: &impl base64::Engine,
) -> Outcome<String> {
    let letters = cursor.length(width)? * 4;
    let padding = cursor.byte()?;
    // A padding that was left out is written as its complement.
    let (padding, is_written) = match padding {
        0..=2 => (usize::from(padding), true),
        _ => (usize::from(!padding), false),
    };
    let broken = || Failure::invalid_payload("The binary JSON holds a base64 text that cannot be.");
    let significant = letters.checked_sub(padding).filter(|_| padding <= 2).ok_or_else(broken)?;
    let mut text = alphabet.encode(cursor.take(significant * 3 / 4)?);
    let length = if is_written { letters } else { significant };
    if length > text.len() {
        return Err(broken());
    }
    text.truncate(length);
    Ok(text)
}

/// 32 digits, the low half of each byte first.
fn guid_text(cursor: &mut Cursor<'_>, digits: &[u8; 16]) -> Outcome<String> {
    let bytes: [u8; 16] = cursor.array()?;
    let mut text = String::with_capacity(38);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(letter(digits, byte & 0x0F));
        text.push(letter(digits, byte >> 4));
    }
    Ok(text)
}

/// A number of 128 bits in the order of one platform: the first three groups reversed.
pub(crate) fn guid_value(cursor: &mut Cursor<'_>) -> Outcome<String> {
    let first = u32::from_le_bytes(cursor.array()?);
    let (second, third) =
        (u16::from_le_bytes(cursor.array()?), u16::from_le_bytes(cursor.array()?));
    let rest = u64::from_be_bytes(cursor.array()?);
    let (fourth, fifth) = (rest >> 48, rest & 0xFFFF_FFFF_FFFF);
    Ok(format!("{first:08x}-{second:04x}-{third:04x}-{fourth:04x}-{fifth:012x}"))
}

/// Bytes, which JSON has no form for but base64.
pub(crate) fn blob(cursor: &mut Cursor<'_>, marker: u8) -> Outcome<String> {
    let width = match marker {
        0xDD => 1,
        0xDE => 2,
        _ => 4,
    };
    let length = cursor.length(width)?;
    Ok(STANDARD.encode(cursor.take(length)?))
}

/// Two letters of an alphabet in each byte, the low half first.
fn letters(cursor: &mut Cursor<'_>, alphabet: &[u8; 16]) -> Outcome<String> {
    let length = cursor.length(1)?;
    let bytes = cursor.take(length.div_ceil(2))?;
    let halves = bytes.iter().flat_map(|byte| [byte & 0x0F, byte >> 4]);
    Ok(halves.take(length).map(|half| letter(alphabet, half)).collect())
}

fn letter(alphabet: &[u8; 16], half: u8) -> char {
    char::from(alphabet.get(usize::from(half)).copied().unwrap_or_default())
}

/// Letters of a few bits each, the low bits first, above a base letter.
fn packed(cursor: &mut Cursor<'_>, length: usize, bits: usize, base: u8) -> Outcome<String> {
    let bytes = cursor.take((length * bits).div_ceil(8))?;
    let mut text = String::with_capacity(length);
    for index in 0..length {
        let (at, shift) = (index * bits / 8, index * bits % 8);
        let byte = |at: usize| u16::from(bytes.get(at).copied().unwrap_or_default());
        let window = byte(at) | byte(at + 1) << 8;
        let value = window >> shift & ((1 << bits) - 1);
        let code = u16::from(base) + value;
        let letter = u8::try_from(code).ok().filter(u8::is_ascii).ok_or_else(|| {
            Failure::invalid_payload("The binary JSON holds a packed string that is not ASCII.")
        })?;
        text.push(char::from(letter));
    }
    Ok(text)
}
