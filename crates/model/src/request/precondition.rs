//! Preconditions on the etag of a resource.
//!
//! Owns the comparison and its result. Does not own which operations check which precondition: a write checks if-match,
//! a read if-none-match, an upsert either.

use std::fmt;

/// A condition on the current etag of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// Proceed only if the resource has this etag.
    IfMatch(EtagPattern),
    /// Proceed only if the resource does not have this etag.
    IfNoneMatch(EtagPattern),
}

/// What the etag of a resource is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EtagPattern {
    /// `*`: any etag, that is, any existing resource.
    Any,
    /// This etag.
    Etag(String),
}

/// The result of checking a precondition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreconditionResult {
    /// The operation proceeds.
    Proceed,
    /// The resource has another etag, or does not exist; the operation fails.
    Failed,
    /// The client already has the current state; nothing is sent.
    NotModified,
}

impl EtagPattern {
    /// Parses a header: `*`, or an etag with or without its quotes.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text.trim() {
            "*" => Self::Any,
            etag => Self::Etag(etag.to_owned()),
        }
    }

    /// Whether the pattern matches a resource with this etag. `None` means that no resource exists, and never matches.
    fn matches(&self, current: Option<&str>) -> bool {
        match (self, current) {
            // Also `*`: If-Match on an absent resource fails, and If-None-Match on it proceeds.
            (_, None) => false,
            (Self::Any, Some(_)) => true,
            (Self::Etag(etag), Some(current)) => unquote(etag) == unquote(current),
        }
    }
}

/// The text of the header.
impl fmt::Display for EtagPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Any => "*",
            Self::Etag(etag) => etag,
        })
    }
}

impl Precondition {
    /// Checks the current etag of the resource; `None` when the resource does not exist.
    #[must_use]
    pub fn check(&self, current_etag: Option<&str>) -> PreconditionResult {
        match self {
            Self::IfMatch(pattern) if !pattern.matches(current_etag) => PreconditionResult::Failed,
            Self::IfNoneMatch(pattern) if pattern.matches(current_etag) => {
                PreconditionResult::NotModified
            }
            _ => PreconditionResult::Proceed,
        }
    }
}

/// Removes the quotes of an etag.
fn unquote(etag: &str) -> &str {
    let inner = etag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_preconditions() {
        let table = [
            ("match", "\"a\"", Some("\"a\""), PreconditionResult::Proceed),
            ("match", "a", Some("\"a\""), PreconditionResult::Proceed),
            ("match", "\"b\"", Some("\"a\""), PreconditionResult::Failed),
            ("match", "\"a\"", None, PreconditionResult::Failed),
            ("match", "*", Some("\"a\""), PreconditionResult::Proceed),
            ("match", "*", None, PreconditionResult::Failed),
            ("none-match", "\"a\"", Some("\"a\""), PreconditionResult::NotModified),
            ("none-match", "\"b\"", Some("\"a\""), PreconditionResult::Proceed),
            ("none-match", "\"a\"", None, PreconditionResult::Proceed),
            ("none-match", "*", Some("\"a\""), PreconditionResult::NotModified),
            ("none-match", "*", None, PreconditionResult::Proceed),
        ];
        for (kind, text, current, expected) in table {
            let pattern = EtagPattern::parse(text);
            assert_eq!(pattern.to_string(), text);
            let precondition = match kind {
                "match" => Precondition::IfMatch(pattern),
                _ => Precondition::IfNoneMatch(pattern),
            };
            assert_eq!(precondition.check(current), expected, "{kind} {text} {current:?}");
        }
    }

    #[test]
    fn a_lone_quote_is_not_a_pair() {
        assert_eq!(unquote("\""), "\"");
        assert_eq!(unquote("\"\""), "");
    }
}
