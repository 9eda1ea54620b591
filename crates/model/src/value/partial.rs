//! Some properties of an object, straight from its text.
//!
//! Owns the walk over a stored item that parses what is wanted and skips the rest, eight bytes at a time. What is
//! skipped is checked for its extent only, not for strictness: stored text was parsed when it was written. Does not own
//! the values: see `parse`.

use std::borrow::Cow;

use super::bytes::{find, quotes_and_brackets, quotes_and_escapes};
use super::{Json, Object, ParseError};

impl Json {
    /// Parses the wanted properties of an object; they come in the order of the text. Any other value is parsed whole.
    ///
    /// Every text that [`Json::parse`] takes gives the properties it would give. Other texts are refused, unless what
    /// is wrong with them lies within a value that is skipped.
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
    /// The place and the reason when the text is not acceptable.
    pub fn parse_properties(
        text: &[u8],
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Self, ParseError> {
        let mut walk = Walk { text, offset: 0 };
        walk.skip_space();
        if walk.peek() != Some(b'{') {
            return Self::parse(text);
        }
        walk.offset += 1;
        let object = walk.object(is_wanted)?;
        walk.skip_space();
        match walk.peek() {
            None => Ok(Self::Object(object)),
            Some(_) => Err(walk.error("unexpected text after the value")),
        }
    }
}

/// A place in a text.
struct Walk<'text> {
    text: &'text [u8],
    offset: usize,
}

impl<'text> Walk<'text> {
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

    /// The properties of an object whose brace is behind.
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
            self.skip_value()?;
            if is_wanted(&name) {
                let name = String::from_utf8(name.into_owned())
                    .map_err(|_| ParseError { offset: start, reason: "a name is not UTF-8" })?;
                object.insert(name, self.parsed(start)?);
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

    /// The value between a place and here.
    fn parsed(&self, start: usize) -> Result<Json, ParseError> {
        let value = self.text.get(start..self.offset).unwrap_or_default();
        Json::parse(value)
            .map_err(|error| ParseError { offset: start + error.offset, reason: error.reason })
    }

    /// The name of a property, without its quotes and escapes.
    fn name(&mut self) -> Result<Cow<'text, [u8]>, ParseError> {
        let start = self.offset;
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a property name"));
        }
        let has_escape = self.skip_string()?;
        if !has_escape {
            let name = self.text.get(start + 1..self.offset - 1).unwrap_or_default();
            return Ok(Cow::Borrowed(name));
        }
        match self.parsed(start)? {
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

    /// Goes past a string; says whether it has an escape.
    fn skip_string(&mut self) -> Result<bool, ParseError> {
        self.offset += 1;
        let mut has_escape = false;
        loop {
            let rest = self.text.get(self.offset..).unwrap_or_default();
            let Some(at) = find(rest, quotes_and_escapes) else {
                return Err(self.error("unexpected end of the text inside a string"));
            };
            self.offset += at + 1;
            if rest.get(at) == Some(&b'"') {
                return Ok(has_escape);
            }
            has_escape = true;
            self.offset += 1;
        }
    }

    /// Goes past an array or object with all that is in it.
    fn skip_nested(&mut self) -> Result<(), ParseError> {
        let mut levels = 0_usize;
        loop {
            let rest = self.text.get(self.offset..).unwrap_or_default();
            let Some(at) = find(rest, quotes_and_brackets) else {
                return Err(self.error("unexpected end of the text"));
            };
            self.offset += at;
            match self.peek() {
                Some(b'"') => {
                    self.skip_string()?;
                    continue;
                }
                Some(b'{' | b'[') => levels += 1,
                _ => levels -= 1,
            }
            self.offset += 1;
            if levels == 0 {
                return Ok(());
            }
        }
    }
}
