//! Patch paths: `/a/b`, `/a/0`, `/a/-`, with `~0` for `~` and `~1` for `/`.
//!
//! Owns their syntax and printed form. Does not own what a segment means: that depends on whether it is applied to an
//! object or an array.

use std::fmt;

use crate::{PropertyPath, Result, ValidationError};

/// The target of a patch operation, as a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchPath {
    first: String,
    rest: Vec<String>,
}

impl PatchPath {
    /// Parses a path of one or more segments.
    ///
    /// # Errors
    /// When the text does not start with `/`, names nothing, or has a `~` that is not `~0` or `~1`.
    pub fn parse(text: &str) -> Result<Self> {
        let refused = |reason: &str| {
            ValidationError::new(format!(
                "Invalid patch request: the path '{text}' {reason}. Write it like '/a/b' or \
                 '/list/0'."
            ))
        };
        let inner = text.strip_prefix('/').ok_or_else(|| refused("must start with '/'"))?;
        if inner.is_empty() {
            return Err(refused("names no property"));
        }
        let mut segments = inner.split('/').map(|segment| {
            unescape(segment).ok_or_else(|| refused("has a '~' that is neither ~0 nor ~1"))
        });
        let first = segments.next().unwrap_or_else(|| Ok(String::new()))?;
        Ok(Self { first, rest: segments.collect::<Result<_>>()? })
    }

    /// The top-level property the path starts at.
    #[must_use]
    pub fn first(&self) -> &str {
        &self.first
    }

    /// The segments from the root down; never empty.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        std::iter::once(self.first.as_str()).chain(self.rest.iter().map(String::as_str))
    }

    /// The last segment.
    #[must_use]
    pub fn last(&self) -> &str {
        self.rest.last().unwrap_or(&self.first)
    }

    /// The segments before the last one.
    pub fn parents(&self) -> impl Iterator<Item = &str> {
        self.segments().take(self.rest.len())
    }

    /// Whether this path is strictly below another.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        // Both have a first segment, so the lengths of the rests compare the whole paths.
        self.rest.len() > other.rest.len() && self.segments().zip(other.segments()).all(same)
    }

    /// Whether one of the two paths is a prefix of the other, so that a change at this path can change the property.
    #[must_use]
    pub fn touches(&self, property: &PropertyPath) -> bool {
        // `zip` ends with the shorter path, so equal means that one is a prefix of the other.
        self.segments().zip(property.segments().iter().map(String::as_str)).all(same)
    }
}

impl fmt::Display for PatchPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments().try_for_each(|segment| {
            // In this order: the second replacement inserts a tilde that must not be escaped again.
            write!(formatter, "/{}", segment.replace('~', "~0").replace('/', "~1"))
        })
    }
}

fn same((left, right): (&str, &str)) -> bool {
    left == right
}

/// Replaces `~0` and `~1`; `None` when a `~` is followed by anything else.
fn unescape(segment: &str) -> Option<String> {
    let mut plain = String::with_capacity(segment.len());
    let mut characters = segment.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '~' => match characters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            other => other,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_stand_for_tilde_and_slash() {
        let path = PatchPath::parse("/a~1b/~0/0/-/").unwrap();
        assert_eq!(path.segments().collect::<Vec<_>>(), ["a/b", "~", "0", "-", ""]);
        assert_eq!(path.to_string(), "/a~1b/~0/0/-/");
        assert_eq!((path.first(), path.last()), ("a/b", ""));
        assert_eq!(path.parents().count(), 4);
    }

    #[test]
    fn what_is_not_a_path_is_refused() {
        for text in ["", "/", "a", "a/b", "/a~", "/a~2"] {
            assert!(PatchPath::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_touches_what_is_above_and_below_it() {
        let path = |text| PatchPath::parse(text).unwrap();
        let key = PropertyPath::parse("/a/b").unwrap();
        for (text, touches) in
            [("/a", true), ("/a/b", true), ("/a/b/c", true), ("/a/c", false), ("/b", false)]
        {
            assert_eq!(path(text).touches(&key), touches, "{text}");
        }
        assert!(path("/a/b").is_below(&path("/a")));
        assert!(!path("/a").is_below(&path("/a")));
        assert!(!path("/ab").is_below(&path("/a")));
    }

    proptest! {
        #[test]
        fn text_round_trips(text in "(/[ab0~/-]{0,3}){1,4}") {
            if let Ok(path) = PatchPath::parse(&text) {
                prop_assert_eq!(path.to_string(), text);
            }
        }
    }
}
