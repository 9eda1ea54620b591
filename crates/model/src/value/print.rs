//! Print values as JSON text.
//!
//! Owns the compact form in which items are stored: no white space, numbers as sent, only the escapes that JSON
//! requires.

use std::fmt;

use super::Json;

impl Json {
    /// Appends the compact text.
    pub fn print_to(&self, text: &mut Vec<u8>) {
        match self {
            Self::Null => text.extend_from_slice(b"null"),
            Self::Bool(true) => text.extend_from_slice(b"true"),
            Self::Bool(false) => text.extend_from_slice(b"false"),
            Self::Number(number) => number.print_to(text),
            Self::String(string) => print_string(string, text),
            Self::Array(elements) => {
                text.push(b'[');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        text.push(b',');
                    }
                    element.print_to(text);
                }
                text.push(b']');
            }
            Self::Object(object) => {
                text.push(b'{');
                for (index, (name, value)) in object.iter().enumerate() {
                    if index > 0 {
                        text.push(b',');
                    }
                    print_string(name, text);
                    text.push(b':');
                    value.print_to(text);
                }
                text.push(b'}');
            }
        }
    }

    /// The compact text.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = Vec::new();
        self.print_to(&mut text);
        text
    }
}

impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never lossy: names and strings are UTF-8, and everything else is ASCII.
        formatter.write_str(&String::from_utf8_lossy(&self.to_bytes()))
    }
}

/// Length in bytes of a string in the compact form, including quotes.
pub(super) fn printed_string_bytes(string: &str) -> usize {
    let escaped = string.bytes().filter(|byte| is_escaped(*byte));
    // The byte itself is counted in the length of the string. An escaped byte is ASCII, hence one character.
    let added: usize = escaped.map(|byte| printed_char_bytes(char::from(byte)) - 1).sum();
    string.len() + added + 2
}

/// Length in bytes of a character inside a string of the compact form.
pub(super) fn printed_char_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        // The other controls: `\u` and four digits.
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

/// Whether JSON requires an escape for this byte; only ASCII needs one.
fn is_escaped(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1F)
}

/// Appends a quoted string.
fn print_string(string: &str, text: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    text.push(b'"');
    let mut rest = string.as_bytes();
    // Most strings have nothing to escape and are copied in one piece.
    while let Some(at) = rest.iter().position(|byte| is_escaped(*byte))
        && let Some((plain, [byte, after @ ..])) = rest.split_at_checked(at)
    {
        text.extend_from_slice(plain);
        rest = after;
        match byte {
            b'"' => text.extend_from_slice(b"\\\""),
            b'\\' => text.extend_from_slice(b"\\\\"),
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\r' => text.extend_from_slice(b"\\r"),
            b'\t' => text.extend_from_slice(b"\\t"),
            0x08 => text.extend_from_slice(b"\\b"),
            0x0C => text.extend_from_slice(b"\\f"),
            _ => {
                text.extend_from_slice(b"\\u00");
                let nibble = |value: u8| HEX.get(usize::from(value)).copied().unwrap_or(b'0');
                text.extend_from_slice(&[nibble(byte >> 4), nibble(byte & 15)]);
            }
        }
    }
    text.extend_from_slice(rest);
    text.push(b'"');
}
