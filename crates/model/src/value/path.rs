//! Property paths: `/a/b`, or `/"x y"/c` when a name needs quotes.
//!
//! Owns how a policy or a partition key definition refers to one property. Does not support the wildcards of indexing
//! policies or array indexes: a property path names properties of objects only.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::Json;
use crate::{Result, ValidationError};

/// The path of a property. Two spellings of the same names are equal, and each prints as it was sent.
#[derive(Clone, Debug)]
pub struct PropertyPath {
    text: String,
    segments: Vec<String>,
}

impl PropertyPath {
    /// Parses a path: one or more names, each after a slash, in quotes when it contains a slash, a quote or a wildcard.
    ///
    /// # Errors
    /// When the text is not such a path.
    pub fn parse(text: &str) -> Result<Self> {
        let mut segments = Vec::new();
        let mut rest = text;
        // The second condition sends the empty path into the loop, which refuses it.
        while !rest.is_empty() || segments.is_empty() {
            let after_slash = rest
                .strip_prefix('/')
                .ok_or_else(|| invalid(text, "each property name follows a '/'"))?;
            let (segment, after) = match after_slash.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    quoted_segment(text, after_slash.get(1..).unwrap_or_default(), quote)?
                }
                _ => plain_segment(text, after_slash)?,
            };
            segments.push(segment);
            rest = after;
        }
        Ok(Self { text: text.to_owned(), segments })
    }

    /// Builds a path from names, with quotes where needed; `None` without names.
    #[must_use]
    pub fn from_segments(segments: Vec<String>) -> Option<Self> {
        if segments.is_empty() {
            return None;
        }
        let mut text = String::new();
        for segment in &segments {
            text.push('/');
            if is_plain(segment) {
                text.push_str(segment);
                continue;
            }
            text.push('"');
            for character in segment.chars() {
                if matches!(character, '"' | '\\') {
                    text.push('\\');
                }
                text.push(character);
            }
            text.push('"');
        }
        Some(Self { text, segments })
    }

    /// The property names from the outside in; never empty.
    #[must_use]
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The path as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The value at the path; `None` (undefined) when a property is absent or its parent is not an object.
    #[must_use]
    pub fn resolve<'value>(&self, value: &'value Json) -> Option<&'value Json> {
        self.segments.iter().try_fold(value, |value, name| value.get(name))
    }
}

/// Reads up to the next slash. The name must not need quotes.
fn plain_segment<'text>(path: &str, text: &'text str) -> Result<(String, &'text str)> {
    let end = text.find('/').unwrap_or(text.len());
    let (segment, rest) = text.split_at(end);
    if !is_plain(segment) {
        let reason = if segment.is_empty() {
            "a property name is empty"
        } else {
            "a name with a wildcard, a quote or a backslash is written in quotes"
        };
        return Err(invalid(path, reason));
    }
    Ok((segment.to_owned(), rest))
}

/// Reads up to the closing quote, which is the same as the opening one; `\` before a quote or `\` is an escape.
fn quoted_segment<'text>(
    path: &str,
    text: &'text str,
    quote: char,
) -> Result<(String, &'text str)> {
    let mut segment = String::new();
    let mut characters = text.chars();
    loop {
        match characters.next() {
            Some(character) if character == quote => break,
            Some('\\') => match characters.next() {
                Some(escaped @ ('"' | '\'' | '\\')) => segment.push(escaped),
                _ => {
                    return Err(invalid(path, "in quotes, '\\' may only come before '\"' or '\\'"));
                }
            },
            Some(character) => segment.push(character),
            None => return Err(invalid(path, "a quote is not closed")),
        }
    }
    Ok((segment, characters.as_str()))
}

/// Whether a name needs no quotes in a path.
fn is_plain(segment: &str) -> bool {
    // The last three are wildcards of indexing policies. A property of that name is written in quotes.
    !segment.contains(['/', '"', '\\'])
        && !segment.starts_with('\'')
        && !matches!(segment, "" | "*" | "?" | "[]")
}

fn invalid(path: &str, reason: &str) -> ValidationError {
    ValidationError::new(format!(
        "The path '{path}' is invalid: {reason}, as in '/a/b' or '/\"x y\"/c'."
    ))
}

impl fmt::Display for PropertyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PartialEq for PropertyPath {
    fn eq(&self, other: &Self) -> bool {
        // By the names and not by the text: `/a` and `/"a"` are the same property. Hash and order do the same.
        self.segments == other.segments
    }
}

impl Eq for PropertyPath {}

impl Hash for PropertyPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.segments.hash(state);
    }
}

impl PartialOrd for PropertyPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PropertyPath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.segments.cmp(&other.segments)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::arbitrary::text;

    fn check(path: &str, expected: &[&str]) {
        let parsed = PropertyPath::parse(path).unwrap();
        assert_eq!(parsed.segments(), expected);
        assert_eq!(parsed.to_string(), path);
    }

    #[test]
    fn names_follow_slashes() {
        check("/pk", &["pk"]);
        check("/a/b-c/d e", &["a", "b-c", "d e"]);
        check(r#"/"x y"/c"#, &["x y", "c"]);
        check("/'x y'/it's", &["x y", "it's"]);
        check(r"/'it\'s'/'a/b'", &["it's", "a/b"]);
        check(r#"/"a/b\"c\\"/"*"/"""#, &["a/b\"c\\", "*", ""]);
    }

    #[test]
    fn malformed_paths_are_refused() {
        for path in [
            "", "/", "a", "a/b", "/a/", "//a", "/*", "/a/?", "/a/[]/b", "/\"a", "/\"a\"b", "/'a",
            "/'a'b", "/a\"b", r#"/"\n""#,
        ] {
            let error = PropertyPath::parse(path).unwrap_err();
            assert!(
                error.message().starts_with(&format!("The path '{path}' is invalid: ")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_path_resolves_through_objects_only() {
        let item = Json::parse(br#"{"a":{"b":null,"c":[{"d":1}]}}"#).unwrap();
        let resolve =
            |path: &str| PropertyPath::parse(path).unwrap().resolve(&item).map(Json::to_string);
        assert_eq!(resolve("/a/b").as_deref(), Some("null"));
        assert_eq!(resolve("/a/c").as_deref(), Some(r#"[{"d":1}]"#));
        assert_eq!(resolve("/a/x"), None);
        assert_eq!(resolve("/a/c/0"), None);
        assert_eq!(resolve("/a/b/c"), None);
    }

    #[test]
    fn spellings_of_the_same_names_are_equal() {
        assert_eq!(PropertyPath::parse("/a").unwrap(), PropertyPath::parse("/\"a\"").unwrap());
    }

    proptest! {
        #[test]
        fn names_survive_their_path(names in proptest::collection::vec(text(), 1..4)) {
            let path = PropertyPath::from_segments(names.clone()).unwrap();
            let parsed = PropertyPath::parse(&path.to_string()).unwrap();
            prop_assert_eq!(parsed.segments(), names.as_slice());
            prop_assert_eq!(parsed.to_string(), path.to_string());
        }
    }
}
