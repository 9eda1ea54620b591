//! JSON text to value.
//!
//! Owns strictness: RFC 8259, valid UTF-8, finite numbers, at most [`crate::limits::NESTING_LEVELS_MAX`] levels. A
//! repeated property name keeps its first position and its last value. Reports the printed size and the depth of the
//! parsed value, so that no caller has to traverse or print it. Does not own printing.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use super::bytes::{find, string_breaks};
use super::measured::{JsonSize, MeasuredJson};
use super::print::printed_char_bytes;
use super::{Json, Number, Object};
use crate::limits::NESTING_LEVELS_MAX;

/// A text that is not an acceptable JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset of the error.
    pub offset: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for ParseError {}

impl Json {
    /// Parses one JSON value. Only white space may follow it.
    ///
    /// ```
    /// use planisphere_model::Json;
    ///
    /// let item = Json::parse(br#"{ "id": "1", "price": 2.50 }"#)?;
    /// assert_eq!(item.get("id").and_then(Json::as_str), Some("1"));
    /// // Numbers keep the text they were sent as, properties keep their order.
    /// assert_eq!(item.to_string(), r#"{"id":"1","price":2.50}"#);
    /// # Ok::<(), planisphere_model::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// The offset and the reason when the text is not acceptable.
    pub fn parse(text: &[u8]) -> Result<Self, ParseError> {
        JsonParser::new(text)?.document()
    }
}

impl MeasuredJson {
    /// Parses like [`Json::parse`] and measures the value in the same pass.
    ///
    /// # Errors
    /// As [`Json::parse`].
    pub fn parse(text: &[u8]) -> Result<Self, ParseError> {
        let mut parser = JsonParser::new(text)?;
        let value = parser.document()?;
        // A repeated name drops a value that was already counted. That is rare enough to measure the result again.
        if parser.has_repeated_name {
            return Ok(Self::from(value));
        }
        let size = JsonSize {
            // Only for a text that was read to its end: `document` has refused any rest.
            printed_bytes: text.len() - parser.unprinted_bytes,
            nesting_levels: parser.deepest_level,
        };
        Ok(Self::new(value, size))
    }
}

struct JsonParser<'text> {
    text: &'text str,
    bytes: &'text [u8],
    offset: usize,
    /// Bytes of the text that the compact form omits: white space, and the difference between an escape and what is
    /// printed for it. Counting these instead of the printed bytes costs nothing for plain strings and numbers.
    unprinted_bytes: usize,
    deepest_level: usize,
    has_repeated_name: bool,
}

/// Objects with at least this many properties use a hash index to find repeated names. Below, comparing names is
/// faster.
const INDEX_FROM_PROPERTIES: usize = 64;

impl<'text> JsonParser<'text> {
    fn new(text: &'text [u8]) -> Result<Self, ParseError> {
        // Once for the whole text: slices at ASCII bytes need no further check.
        let text = std::str::from_utf8(text).map_err(|error| ParseError {
            offset: error.valid_up_to(),
            reason: "the text is not valid UTF-8",
        })?;
        Ok(Self {
            text,
            bytes: text.as_bytes(),
            offset: 0,
            unprinted_bytes: 0,
            deepest_level: 0,
            has_repeated_name: false,
        })
    }

    fn document(&mut self) -> Result<Json, ParseError> {
        self.skip_space();
        let value = self.value(0)?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.error("unexpected text after the value")),
        }
    }

    fn error(&self, reason: &'static str) -> ParseError {
        ParseError { offset: self.offset, reason }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.offset).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.offset += 1;
            self.unprinted_bytes += 1;
        }
    }

    fn take(&mut self, expected: u8, reason: &'static str) -> Result<(), ParseError> {
        if self.peek() == Some(expected) {
            self.offset += 1;
            return Ok(());
        }
        Err(self.error(reason))
    }

    fn value(&mut self, level: usize) -> Result<Json, ParseError> {
        match self.peek() {
            Some(b'{') => self.object(level),
            Some(b'[') => self.array(level),
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.error("unexpected character")),
            None => Err(self.error("unexpected end of the text")),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, ParseError> {
        if self.bytes.get(self.offset..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.offset += word.len();
            return Ok(value);
        }
        Err(self.error("unexpected word"))
    }

    /// Enters an array or object and returns the new level. The limit bounds the recursion of this parser and of
    /// everything that traverses a parsed value: printing, comparing, hashing and dropping it.
    fn enter_level(&mut self, level: usize) -> Result<usize, ParseError> {
        if level >= NESTING_LEVELS_MAX {
            // Before the recursion, so a text of a million brackets does not use the stack.
            return Err(self.error("nested deeper than 128 levels"));
        }
        self.deepest_level = self.deepest_level.max(level + 1);
        Ok(level + 1)
    }

    fn array(&mut self, level: usize) -> Result<Json, ParseError> {
        let level = self.enter_level(level)?;
        self.offset += 1;
        self.skip_space();
        let mut elements = Vec::new();
        if self.peek() == Some(b']') {
            self.offset += 1;
            return Ok(Json::Array(elements));
        }
        loop {
            self.skip_space();
            elements.push(self.value(level)?);
            self.skip_space();
            if self.peek() == Some(b',') {
                self.offset += 1;
                continue;
            }
            self.take(b']', "expected ',' or ']'")?;
            return Ok(Json::Array(elements));
        }
    }

    fn object(&mut self, level: usize) -> Result<Json, ParseError> {
        let level = self.enter_level(level)?;
        self.offset += 1;
        self.skip_space();
        let mut object = Object::new();
        let mut indexes = HashMap::new();
        if self.peek() == Some(b'}') {
            self.offset += 1;
            return Ok(Json::Object(object));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.error("expected a property name"));
            }
            let name = self.string()?;
            self.skip_space();
            self.take(b':', "expected ':'")?;
            self.skip_space();
            let value = self.value(level)?;
            let properties = object.len();
            add_property(&mut object, &mut indexes, name, value);
            // The object did not grow: the name replaced an earlier value.
            self.has_repeated_name |= object.len() == properties;
            self.skip_space();
            if self.peek() == Some(b',') {
                self.offset += 1;
                continue;
            }
            self.take(b'}', "expected ',' or '}'")?;
            return Ok(Json::Object(object));
        }
    }

    fn number(&mut self) -> Result<Json, ParseError> {
        let start = self.offset;
        if self.peek() == Some(b'-') {
            self.offset += 1;
        }
        match self.peek() {
            Some(b'0') => self.offset += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(self.error("expected a digit")),
        }
        if self.peek() == Some(b'.') {
            self.offset += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.offset += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.offset += 1;
            }
            self.digits()?;
        }
        // The grammar was checked byte by byte above, because Rust's parsers accept more than JSON.
        let text = self.text.get(start..self.offset).unwrap_or_default();
        Number::from_checked_text(text).map(Json::Number).ok_or(ParseError {
            offset: start,
            reason: "the number is outside the range of a 64-bit double",
        })
    }

    fn digits(&mut self) -> Result<(), ParseError> {
        let start = self.offset;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.offset += 1;
        }
        if self.offset == start {
            return Err(self.error("expected a digit"));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, ParseError> {
        self.offset += 1;
        let mut result = String::new();
        loop {
            let rest = self.text.get(self.offset..).unwrap_or_default();
            // A break is an ASCII byte, which never occurs inside a UTF-8 character, so the slice ends between
            // characters.
            let plain = find(rest.as_bytes(), string_breaks).unwrap_or(rest.len());
            result.push_str(rest.get(..plain).unwrap_or_default());
            self.offset += plain;
            match self.peek() {
                Some(b'"') => {
                    self.offset += 1;
                    return Ok(result);
                }
                Some(b'\\') => {
                    let start = self.offset;
                    self.offset += 1;
                    let character = self.escape()?;
                    // No escape is shorter than what is printed for its character.
                    self.unprinted_bytes += self.offset - start - printed_char_bytes(character);
                    result.push(character);
                }
                Some(_) => return Err(self.error("control character inside a string")),
                None => return Err(self.error("unexpected end of the text inside a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        let escaped = self.peek().ok_or_else(|| self.error("unexpected end of the text"))?;
        let character = match escaped {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.offset += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.error("unknown escape")),
        };
        self.offset += 1;
        Ok(character)
    }

    /// Reads the digits of `\\u`. Half of a surrogate pair, which is no character, becomes U+FFFD as in the service.
    fn unicode_escape(&mut self) -> Result<char, ParseError> {
        let first = self.hex_unit()?;
        if !(0xD800..0xDC00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let after_first = self.offset;
        if self.bytes.get(self.offset..self.offset + 2) == Some(b"\\u".as_slice()) {
            self.offset += 2;
            let second = self.hex_unit()?;
            if (0xDC00..0xE000).contains(&second) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        // What follows is not the other half; it is read as a character of its own.
        self.offset = after_first;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex_unit(&mut self) -> Result<u32, ParseError> {
        let digits = self.text.get(self.offset..self.offset + 4);
        let unit = digits
            // `from_str_radix` alone would accept a sign, as in `\u+123`.
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.error("expected four hexadecimal digits"))?;
        self.offset += 4;
        Ok(unit)
    }
}

/// Adds a property. Large objects get an index of their names. Without it, parsing n properties would take n²
/// comparisons, which a hostile client could exploit.
fn add_property(
    object: &mut Object,
    indexes: &mut HashMap<String, usize>,
    name: String,
    value: Json,
) {
    if object.len() < INDEX_FROM_PROPERTIES {
        object.insert(name, value);
        return;
    }
    // Built when the limit is reached. From then on every property is added to both.
    if indexes.is_empty() {
        let existing = object.iter().enumerate().map(|(index, (name, _))| (name.to_owned(), index));
        indexes.extend(existing);
    }
    match indexes.entry(name) {
        Entry::Occupied(entry) => object.set_at(*entry.get(), value),
        Entry::Vacant(entry) => {
            object.push_new(entry.key().clone(), value);
            entry.insert(object.len() - 1);
        }
    }
}
