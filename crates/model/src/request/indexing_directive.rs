//! Whether one write is indexed.
//!
//! Owns the choice, its wire words and how it meets the policy. Does not own the index.

use crate::{Result, ValidationError};

/// What a request says about indexing its item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexingDirective {
    /// As the policy says.
    #[default]
    Default,
    /// Index the item.
    Include,
    /// Do not index the item.
    Exclude,
}

impl IndexingDirective {
    /// Reads the word of the wire; case does not matter.
    ///
    /// # Errors
    /// When the word names no directive.
    pub fn parse(text: &str) -> Result<Self> {
        // The Python library writes numbers.
        let known = [(Self::Default, "0"), (Self::Exclude, "1"), (Self::Include, "2")];
        let named = |one: Self| one.as_str().eq_ignore_ascii_case(text);
        let found = known.into_iter().find(|(one, number)| named(*one) || *number == text);
        found.map(|(one, _)| one).ok_or_else(|| {
            ValidationError::new(format!(
                "The indexing directive '{text}' is unknown; use Default, Include or Exclude."
            ))
        })
    }

    /// The word of the wire.
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
