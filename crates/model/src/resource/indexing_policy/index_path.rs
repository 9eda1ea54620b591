//! The paths of an indexing policy: `/a/b/?`, `/a/*`, `/arr/[]/x/?`, `/"x y"/?`.
//!
//! Owns their syntax and printed form. Does not decide which path applies to a value: see `path_matcher`.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::{Result, ValidationError};

/// One path of an indexing policy. Two spellings of the same segments are equal, and each prints as it was sent.
#[derive(Clone, Debug)]
pub struct IndexPath {
    text: String,
    // The meaning; `text` is kept only to print what the client sent.
    segments: Vec<IndexPathSegment>,
    ending: PathEnding,
}

/// One segment of an index path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IndexPathSegment {
    /// The property with this name.
    Property(String),
    /// Every element of an array: `[]`.
    AnyElement,
}

/// What an index path covers at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathEnding {
    /// `/?`: the scalar at the path, nothing below it.
    Scalar,
    /// `/*`: the value at the path and everything below it.
    Subtree,
}

impl IndexPath {
    /// The path that covers everything: `/*`.
    #[must_use]
    pub fn root() -> Self {
        Self::new(Vec::new(), PathEnding::Subtree)
    }

    /// Builds a path from segments, with quotes where a name needs them.
    #[must_use]
    pub fn new(segments: Vec<IndexPathSegment>, ending: PathEnding) -> Self {
        let mut text = print(&segments);
        text.push_str(match ending {
            PathEnding::Scalar => "/?",
            PathEnding::Subtree => "/*",
        });
        Self { text, segments, ending }
    }

    /// Parses a path with its ending; `/` alone means `/*`.
    ///
    /// # Errors
    /// When the text is not such a path.
    pub fn parse(text: &str) -> Result<Self> {
        if text == "/" {
            return Ok(Self::root());
        }
        let (segments, ending) = IndexPathParser { text, position: 0 }.path()?;
        let Some(ending) = ending else {
            return Err(refused(text, text.len()));
        };
        // `/?` would be the item itself, which is never a scalar.
        if segments.is_empty() && ending == PathEnding::Scalar {
            return Err(refused(text, 1));
        }
        Ok(Self { text: text.to_owned(), segments, ending })
    }

    /// Parses a path of a composite index: `/a/b`. The ending `/?` is implied and wildcards are refused.
    ///
    /// # Errors
    /// When the text is not such a path.
    pub fn parse_implied_scalar(text: &str) -> Result<Self> {
        match (IndexPathParser { text, position: 0 }).path()? {
            (segments, None) => {
                Ok(Self { text: text.to_owned(), segments, ending: PathEnding::Scalar })
            }
            _ => Err(refused(text, text.len())),
        }
    }

    /// The segments from the root down; empty for `/*`.
    #[must_use]
    pub fn segments(&self) -> &[IndexPathSegment] {
        &self.segments
    }

    /// What the path covers at its end.
    #[must_use]
    pub fn ending(&self) -> PathEnding {
        self.ending
    }

    /// Whether this is `/*`.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }
}

impl fmt::Display for IndexPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PartialEq for IndexPath {
    fn eq(&self, other: &Self) -> bool {
        self.segments == other.segments && self.ending == other.ending
    }
}

impl Eq for IndexPath {}

impl Hash for IndexPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.segments.hash(state);
        self.ending.hash(state);
    }
}

/// Prints segments. The service also quotes system names, as in `/"_etag"/?`.
fn print(segments: &[IndexPathSegment]) -> String {
    let mut text = String::new();
    for segment in segments {
        text.push('/');
        match segment {
            IndexPathSegment::AnyElement => text.push_str("[]"),
            // So the default policy prints its etag as the service does.
            IndexPathSegment::Property(name) if is_plain(name) && !name.starts_with('_') => {
                text.push_str(name);
            }
            IndexPathSegment::Property(name) => {
                text.push('"');
                for character in name.chars() {
                    if matches!(character, '"' | '\\') {
                        text.push('\\');
                    }
                    text.push(character);
                }
                text.push('"');
            }
        }
    }
    text
}

/// Whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(['/', '"', '\\', '*', '?', '[', ']', '{', '}', ','])
        && !name.contains(char::is_whitespace)
}

struct IndexPathParser<'a> {
    text: &'a str,
    position: usize,
}

impl IndexPathParser<'_> {
    /// Parses segments up to the end of the text. An ending is only allowed at the end.
    fn path(&mut self) -> Result<(Vec<IndexPathSegment>, Option<PathEnding>)> {
        let mut segments = Vec::new();
        loop {
            if !self.take('/') {
                return Err(self.refused());
            }
            if self.rest() == "?" {
                return Ok((segments, Some(PathEnding::Scalar)));
            }
            if self.rest() == "*" {
                return Ok((segments, Some(PathEnding::Subtree)));
            }
            segments.push(self.segment()?);
            if self.rest().is_empty() {
                return Ok((segments, None));
            }
        }
    }

    fn segment(&mut self) -> Result<IndexPathSegment> {
        if self.take('"') {
            return self.quoted().map(IndexPathSegment::Property);
        }
        let end = self.rest().find('/').unwrap_or(self.rest().len());
        let word = self.rest().get(..end).unwrap_or_default().to_owned();
        if word == "[]" {
            self.position += end;
            return Ok(IndexPathSegment::AnyElement);
        }
        if !is_plain(&word) {
            return Err(self.refused());
        }
        self.position += end;
        Ok(IndexPathSegment::Property(word))
    }

    /// Reads up to the closing quote; `\"` and `\\` are escapes.
    fn quoted(&mut self) -> Result<String> {
        let mut name = String::new();
        loop {
            if self.take('"') {
                return Ok(name);
            }
            // The character after a backslash is taken as it is, also if it is a quote.
            self.take('\\');
            let Some(character) = self.rest().chars().next() else {
                return Err(self.refused());
            };
            name.push(character);
            self.position += character.len_utf8();
        }
    }

    fn take(&mut self, expected: char) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.position += expected.len_utf8();
        }
        found
    }

    fn rest(&self) -> &str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn refused(&self) -> ValidationError {
        refused(self.text, self.position)
    }
}

fn refused(text: &str, position: usize) -> ValidationError {
    ValidationError::new(format!(
        "The indexing path '{text}' could not be accepted, failed near position '{position}'. \
         Please ensure that the path is a valid path. Common errors include invalid characters or \
         absence of quotes around labels."
    ))
}
