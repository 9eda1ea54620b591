//! Where the values of a JSON text stand.
//!
//! Owns the walk over a text that is known to be JSON. A value is named by its way from the top, such as
//! `/resources/0/name`.

use std::collections::BTreeMap;

use crate::schema::origin::{Origin, Source};

/// The lines of a text, by the ways to its values.
#[derive(Debug)]
pub(super) struct Lines<'s> {
    source: &'s Source,
    offsets: BTreeMap<String, usize>,
}

impl<'s> Lines<'s> {
    /// Walks over a text that is JSON.
    pub(super) fn of(source: &'s Source) -> Self {
        let mut walk = Walk { bytes: source.text.as_bytes(), at: 0, offsets: BTreeMap::new() };
        walk.value(&mut String::new());
        Self { source, offsets: walk.offsets }
    }

    /// The line of a value, or of the nearest one around it that is known.
    pub(super) fn origin(&self, way: &str) -> Origin {
        let mut way = way;
        loop {
            match (self.offsets.get(way), way.rsplit_once('/')) {
                (Some(offset), _) => return self.source.origin(*offset),
                (None, Some((outer, _))) => way = outer,
                (None, None) => return self.source.origin(0),
            }
        }
    }
}

struct Walk<'s> {
    bytes: &'s [u8],
    at: usize,
    offsets: BTreeMap<String, usize>,
}

impl Walk<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_whitespace() || byte == b',' || byte == b':')
        {
            self.at += 1;
        }
    }

    fn value(&mut self, way: &mut String) {
        self.space();
        self.offsets.insert(way.clone(), self.at);
        match self.peek() {
            Some(b'{') => self.members(way, b'}'),
            Some(b'[') => self.members(way, b']'),
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

    fn members(&mut self, way: &mut String, end: u8) {
        self.at += 1;
        for index in 0.. {
            self.space();
            let Some(byte) = self.peek() else { return };
            if byte == end {
                self.at += 1;
                return;
            }
            let name = if end == b'}' { self.text() } else { index.to_string() };
            let length = way.len();
            way.push('/');
            way.push_str(&name);
            self.value(way);
            way.truncate(length);
        }
    }

    /// A quoted text without its quotes; escapes stay as they are.
    fn text(&mut self) -> String {
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
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
        let source = Source { name: "t".to_owned(), text: text.to_owned() };
        let lines = Lines::of(&source);
        let line = |way: &str| lines.origin(way).line;
        assert_eq!(
            [line("/a"), line("/a/0"), line("/a/1"), line("/a/2"), line("/c")],
            [2, 2, 3, 4, 6]
        );
        assert_eq!(line("/a/1/nothing/here"), 3);
    }
}
