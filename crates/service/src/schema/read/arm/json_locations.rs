//! The lines of the values in a JSON text.
//!
//! Owns a scan over a text that is known to be valid JSON. A value is identified by its JSON pointer, such as
//! `/resources/0/name`.

use std::collections::BTreeMap;

use crate::schema::location::{SourceFile, SourceLocation};

/// The offsets of all values in a text, by JSON pointer.
#[derive(Debug)]
pub(super) struct JsonLocations<'s> {
    source: &'s SourceFile,
    offsets: BTreeMap<String, usize>,
}

impl<'s> JsonLocations<'s> {
    /// Scans a valid JSON text.
    pub(super) fn new(source: &'s SourceFile) -> Self {
        let mut scanner =
            LocationScanner { bytes: source.text.as_bytes(), at: 0, offsets: BTreeMap::new() };
        scanner.value(&mut String::new());
        Self { source, offsets: scanner.offsets }
    }

    /// The location of a value, or of the nearest enclosing value that exists.
    pub(super) fn location(&self, pointer: &str) -> SourceLocation {
        let mut pointer = pointer;
        loop {
            match (self.offsets.get(pointer), pointer.rsplit_once('/')) {
                (Some(offset), _) => return self.source.location(*offset),
                (None, Some((outer, _))) => pointer = outer,
                (None, None) => return self.source.location(0),
            }
        }
    }
}

struct LocationScanner<'s> {
    bytes: &'s [u8],
    at: usize,
    offsets: BTreeMap<String, usize>,
}

impl LocationScanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while self
            .peek()
            // The text is known to be valid, so separators need not be distinguished.
            .is_some_and(|byte| byte.is_ascii_whitespace() || byte == b',' || byte == b':')
        {
            self.at += 1;
        }
    }

    fn value(&mut self, pointer: &mut String) {
        self.space();
        // A repeated name overwrites the offset of the first one; the parser keeps the last value, too.
        self.offsets.insert(pointer.clone(), self.at);
        match self.peek() {
            Some(b'{') => self.members(pointer, b'}'),
            Some(b'[') => self.members(pointer, b']'),
            Some(b'"') => {
                self.text();
            }
            _ => {
                let is_end = |byte: u8| byte.is_ascii_whitespace() || b",}]".contains(&byte);
                while self.peek().is_some_and(|byte| !is_end(byte)) {
                    self.at += 1;
                }
            }
        }
    }

    fn members(&mut self, pointer: &mut String, end: u8) {
        self.at += 1;
        for index in 0.. {
            self.space();
            let Some(byte) = self.peek() else { return };
            if byte == end {
                self.at += 1;
                return;
            }
            let name = if end == b'}' { self.text() } else { index.to_string() };
            let length = pointer.len();
            pointer.push('/');
            pointer.push_str(&name);
            self.value(pointer);
            pointer.truncate(length);
        }
    }

    /// A quoted text without its quotes. Escapes are not decoded.
    fn text(&mut self) -> String {
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                // The character after a backslash may be a quote.
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        let text = self.bytes.get(start..self.at).unwrap_or_default();
        self.at += 1;
        String::from_utf8_lossy(text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_its_line() {
        let text = "{\n \"a\": [1,\n  {\"b\\\"\": \"x]}\"},\n  true\n ],\n \"c\": null\n}";
        let source = SourceFile { name: "t".to_owned(), text: text.to_owned() };
        let lines = JsonLocations::new(&source);
        let line = |pointer: &str| lines.location(pointer).line;
        assert_eq!(
            [line("/a"), line("/a/0"), line("/a/1"), line("/a/2"), line("/c")],
            [2, 2, 3, 4, 6]
        );
        assert_eq!(line("/a/1/nothing/here"), 3);
    }
}
