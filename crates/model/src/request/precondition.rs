//! Preconditions on the etag of a resource.
//!
//! Owns the comparison and its verdict. Does not own which operations look at which precondition: a write looks at
//! if-match only, a read at if-none-match.

use std::fmt;

/// A condition on the etag that a resource has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// Go on only if the resource has this etag.
    IfMatch(EtagPattern),
    /// Go on only if the resource does not have this etag.
    IfNoneMatch(EtagPattern),
}

/// What the etag of a resource is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EtagPattern {
    /// `*`: any etag, so any resource that is there.
    Any,
    /// This etag.
    Etag(String),
}

/// What follows from a precondition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreconditionResult {
    /// The operation goes on.
    Proceed,
    /// The resource is not the one the client means; the operation fails.
    Failed,
    /// The client has what it would read; there is nothing to send.
    NotModified,
}

impl EtagPattern {
    /// Reads the text of a header: `*`, or an etag with or without its quotes.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text.trim() {
            "*" => Self::Any,
            etag => Self::Etag(etag.to_owned()),
        }
    }

    /// Whether a resource with this etag, or none at all, is meant.
    fn matches(&self, current: Option<&str>) -> bool {
        match (self, current) {
            (_, None) => false,
            (Self::Any, Some(_)) => true,
            (Self::Etag(etag), Some(current)) => unquoted(etag) == unquoted(current),
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
    /// Compares with the etag the resource has now; none when there is no resource.
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

/// The etag inside its quotes.
fn unquoted(etag: &str) -> &str {
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
        assert_eq!(unquoted("\""), "\"");
        assert_eq!(unquoted("\"\""), "");
    }
}
