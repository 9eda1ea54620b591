//! Whether one write is indexed.
//!
//! Owns the choice and its wire names. Does not own the index.

use crate::{Result, ValidationError};

/// What a request says about indexing its item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexingDirective {
    /// Follow the indexing policy.
    #[default]
    Default,
    /// Index the item.
    Include,
    /// Do not index the item.
    Exclude,
}

impl IndexingDirective {
    /// Parses the wire name, ignoring case.
    ///
    /// # Errors
    /// When the name is unknown.
    pub fn parse(text: &str) -> Result<Self> {
        // The Python SDK sends numbers.
        let directives = [(Self::Default, "0"), (Self::Exclude, "1"), (Self::Include, "2")];
        let has_name = |directive: Self| directive.as_str().eq_ignore_ascii_case(text);
        let found = directives.into_iter().find(|(one, number)| has_name(*one) || *number == text);
        found.map(|(directive, _)| directive).ok_or_else(|| {
            ValidationError::new(format!(
                "The indexing directive '{text}' is unknown; use Default, Include or Exclude."
            ))
        })
    }

    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "Default",
            Self::Include => "Include",
            Self::Exclude => "Exclude",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for text in ["Default", "Include", "Exclude"] {
            assert_eq!(IndexingDirective::parse(text).unwrap().as_str(), text);
        }
        assert_eq!(IndexingDirective::parse("exclude"), Ok(IndexingDirective::Exclude));
        assert_eq!(IndexingDirective::parse("1"), Ok(IndexingDirective::Exclude));
        assert!(IndexingDirective::parse("maybe").is_err());
    }
}
