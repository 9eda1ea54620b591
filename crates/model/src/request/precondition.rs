//! Preconditions on the etag of a resource.
//!
//! Owns the comparison and its verdict. Does not own which operations look at which precondition: a write looks at
//! if-match only, a read at if-none-match.

use std::fmt;

use crate::EtagCondition;

/// A condition on the etag that a resource has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// Go on only if the resource has this etag.
    IfMatch(EtagCondition),
    /// Go on only if the resource does not have this etag.
    IfNoneMatch(EtagCondition),
}

/// What follows from a precondition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The operation goes on.
    Proceed,
    /// The resource is not the one the client means; the operation fails.
    Failed,
    /// The client has what it would read; there is nothing to send.
    NotModified,
}

impl Precondition {
    /// Compares with the text of the etag the resource has now; none when there is no resource.
    #[must_use]
    pub fn check(&self, current_etag: Option<&str>) -> Verdict {
        match self {
            Self::IfMatch(condition) if !meets(condition, current_etag) => Verdict::Failed,
            Self::IfNoneMatch(condition) if meets(condition, current_etag) => Verdict::NotModified,
            _ => Verdict::Proceed,
        }
    }
}

/// The text of the header.
impl fmt::Display for EtagCondition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => formatter.write_str("*"),
            Self::OneOf(texts) => formatter.write_str(&texts.join(",")),
        }
    }
}

/// Whether a resource with an etag of this text, or no resource, meets the condition.
fn meets(condition: &EtagCondition, current_etag: Option<&str>) -> bool {
    match (condition, current_etag) {
        (_, None) => false,
        (EtagCondition::Any, Some(_)) => true,
        (EtagCondition::OneOf(texts), Some(current)) => {
            texts.iter().any(|text| unquoted(text) == unquoted(current))
        }
    }
}

/// The etag inside its quotes.
fn unquoted(etag: &str) -> &str {
    let inner = etag
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_preconditions() {
        let table = [
            ("match", "\"a\"", Some("\"a\""), Verdict::Proceed),
            ("match", "a", Some("\"a\""), Verdict::Proceed),
            ("match", "\"b\"", Some("\"a\""), Verdict::Failed),
            ("match", "\"b\",\"a\"", Some("\"a\""), Verdict::Proceed),
            ("match", "\"a\"", None, Verdict::Failed),
            ("match", "*", Some("\"a\""), Verdict::Proceed),
            ("match", "*", None, Verdict::Failed),
            ("none-match", "\"a\"", Some("\"a\""), Verdict::NotModified),
            ("none-match", "\"b\"", Some("\"a\""), Verdict::Proceed),
            ("none-match", "\"a\"", None, Verdict::Proceed),
            ("none-match", "*", Some("\"a\""), Verdict::NotModified),
            ("none-match", "*", None, Verdict::Proceed),
        ];
        for (kind, text, current, expected) in table {
            let condition = EtagCondition::parse(text);
            assert_eq!(condition.to_string(), text);
            let precondition = match kind {
                "match" => Precondition::IfMatch(condition),
                _ => Precondition::IfNoneMatch(condition),
            };
            assert_eq!(
                precondition.check(current),
                expected,
                "{kind} {text} {current:?}"
            );
        }
    }

    #[test]
    fn a_lone_quote_is_not_a_pair() {
        assert_eq!(unquoted("\""), "\"");
        assert_eq!(unquoted("\"\""), "");
    }
}
