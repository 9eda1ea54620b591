//! Parse only some properties of an object.
//!
//! Owns the scan of a stored item that parses the wanted properties and skips the others, eight bytes at a time.
//! Skipped values are not validated, only delimited: stored text was parsed when it was written. Does not own parsing
//! of values: see `parse`.

use std::borrow::Cow;

use super::bytes::{find, quotes_and_brackets, quotes_and_escapes};
use super::{Json, Object, ParseError};

impl Json {
    /// Parses the wanted top-level properties of an object, in the order of the text. Any other value is parsed
    /// completely.
    ///
    /// For every text that [`Json::parse`] accepts, the properties are equal to those it would return. Other texts are
    /// refused, unless the error is inside a skipped value.
    ///
    /// ```
    /// use planisphere_model::Json;
    ///
    /// let text = br#"{"id":"1","list":[1,2,{"n":3}],"n":4}"#;
    /// let item = Json::parse_properties(text, |name| name == b"n")?;
    /// assert_eq!(item.to_string(), r#"{"n":4}"#);
    /// # Ok::<(), planisphere_model::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// The offset and the reason when the text is not acceptable.
    pub fn parse_properties(
        text: &[u8],
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Self, ParseError> {
        // On bytes, not on text: checking the UTF-8 of all skipped values would cost more than skipping them.
        let mut scanner = PropertyScanner { text, offset: 0 };
        scanner.skip_space();
        if scanner.peek() != Some(b'{') {
            return Self::parse(text);
        }
        scanner.offset += 1;
        let object = scanner.object(is_wanted)?;
        scanner.skip_space();
        match scanner.peek() {
            None => Ok(Self::Object(object)),
            Some(_) => Err(scanner.error("unexpected text after the value")),
        }
    }
}

/// A cursor over the text of an object.
struct PropertyScanner<'text> {
    text: &'text [u8],
    offset: usize,
}

impl<'text> PropertyScanner<'text> {
    fn error(&self, reason: &'static str) -> ParseError {
        ParseError { offset: self.offset, reason }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.offset).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.offset += 1;
        }
    }

    /// Reads the properties of an object whose opening brace was consumed.
    fn object(&mut self, is_wanted: impl Fn(&[u8]) -> bool) -> Result<Object, ParseError> {
        let mut object = Object::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.offset += 1;
            return Ok(object);
        }
        loop {
            self.skip_space();
            let name = self.name()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.error("expected ':'"));
            }
            self.offset += 1;
            self.skip_space();
            let start = self.offset;
            // Wanted values are delimited first as well, and then parsed: the parser takes a whole text.
            self.skip_value()?;
            if is_wanted(&name) {
                let name = String::from_utf8(name.into_owned())
                    .map_err(|_| ParseError { offset: start, reason: "a name is not UTF-8" })?;
                // A repeated name keeps its first position and its last value, as in `parse`.
                object.insert(name, self.parse_from(start)?);
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.offset += 1,
                Some(b'}') => {
                    self.offset += 1;
                    return Ok(object);
                }
                _ => return Err(self.error("expected ',' or '}'")),
            }
        }
    }

    /// Parses the value between `start` and the current offset.
    fn parse_from(&self, start: usize) -> Result<Json, ParseError> {
        let value = self.text.get(start..self.offset).unwrap_or_default();
        Json::parse(value)
            .map_err(|error| ParseError { offset: start + error.offset, reason: error.reason })
    }

    /// Reads a property name and decodes its escapes.
    fn name(&mut self) -> Result<Cow<'text, [u8]>, ParseError> {
        let start = self.offset;
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a property name"));
        }
        let has_escape = self.skip_string()?;
        if !has_escape {
            let name = self.text.get(start + 1..self.offset - 1).unwrap_or_default();
            // Nearly all names: nothing is allocated for a property that is not wanted.
            return Ok(Cow::Borrowed(name));
        }
        match self.parse_from(start)? {
            Json::String(name) => Ok(Cow::Owned(name.into_bytes())),
            _ => Err(self.error("expected a property name")),
        }
    }

    fn skip_value(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Some(b'"') => self.skip_string().map(|_| ()),
            Some(b'{' | b'[') => self.skip_nested(),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.offset += 1;
                while matches!(
                    self.peek(),
                    Some(b'0'..=b'9' | b'a'..=b'z' | b'.' | b'+' | b'-' | b'E')
                ) {
                    self.offset += 1;
                }
                Ok(())
            }
            Some(_) => Err(self.error("unexpected character")),
            None => Err(self.error("unexpected end of the text")),
        }
    }

    /// Skips a string; returns whether it contains an escape.
    fn skip_string(&mut self) -> Result<bool, ParseError> {
        self.offset += 1;
        let mut has_escape = false;
        loop {
            let rest = self.text.get(self.offset..).unwrap_or_default();
            let Some(distance) = find(rest, quotes_and_escapes) else {
                return Err(self.error("unexpected end of the text inside a string"));
            };
            self.offset += distance + 1;
            if rest.get(distance) == Some(&b'"') {
                return Ok(has_escape);
            }
            // The character after the backslash is skipped with it, since it may be a quote. The digits of `\u`
            // contain neither.
            has_escape = true;
            self.offset += 1;
        }
    }

    /// Skips an array or object with its content.
    fn skip_nested(&mut self) -> Result<(), ParseError> {
        let mut levels = 0_usize;
        loop {
            let rest = self.text.get(self.offset..).unwrap_or_default();
            let Some(distance) = find(rest, quotes_and_brackets) else {
                return Err(self.error("unexpected end of the text"));
            };
            self.offset += distance;
            match self.peek() {
                Some(b'"') => {
                    self.skip_string()?;
                    continue;
                }
                Some(b'{' | b'[') => levels += 1,
                // Does not underflow: the scan starts at an opening bracket and ends when the last one closes. Whether
                // `[` is closed by `}` is not checked.
                _ => levels -= 1,
            }
            self.offset += 1;
            if levels == 0 {
                return Ok(());
            }
        }
    }
}
