//! Consistency levels: how fresh a read must be.
//!
//! Owns the five levels, their order and their wire names. Does not own what a level costs or waits for.

use std::fmt;

use crate::{Result, ValidationError};

/// How fresh a read must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConsistencyLevel {
    /// The latest write, everywhere.
    Strong,
    /// Behind by a bounded number of writes or seconds.
    BoundedStaleness,
    /// At least what the session has seen.
    Session,
    /// Some prefix of the writes.
    ConsistentPrefix,
    /// Any past state.
    Eventual,
}

impl ConsistencyLevel {
    const ALL: [Self; 5] = [
        Self::Strong,
        Self::BoundedStaleness,
        Self::Session,
        Self::ConsistentPrefix,
        Self::Eventual,
    ];

    /// Parses the wire name, ignoring case.
    ///
    /// # Errors
    /// When the name is unknown.
    pub fn parse(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            ValidationError::new(format!(
                "The consistency level '{text}' is unknown; use Strong, BoundedStaleness, Session, \
                 ConsistentPrefix or Eventual."
            ))
        })
    }

    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strong => "Strong",
            Self::BoundedStaleness => "BoundedStaleness",
            Self::Session => "Session",
            Self::ConsistentPrefix => "ConsistentPrefix",
            Self::Eventual => "Eventual",
        }
    }

    /// Whether this level gives stronger guarantees than another.
    #[must_use]
    pub fn is_stronger_than(self, other: Self) -> bool {
        self.strength() > other.strength()
    }

    fn strength(self) -> u8 {
        match self {
            Self::Eventual => 0,
            Self::ConsistentPrefix => 1,
            Self::Session => 2,
            Self::BoundedStaleness => 3,
            Self::Strong => 4,
        }
    }
}

impl fmt::Display for ConsistencyLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for level in ConsistencyLevel::ALL {
            assert_eq!(ConsistencyLevel::parse(&level.to_string()), Ok(level));
        }
        assert_eq!(ConsistencyLevel::parse("strong"), Ok(ConsistencyLevel::Strong));
        assert!(ConsistencyLevel::parse("Total").is_err());
    }

    #[test]
    fn levels_are_listed_from_the_strongest() {
        for pair in ConsistencyLevel::ALL.windows(2) {
            assert!(pair[0].is_stronger_than(pair[1]));
            assert!(!pair[1].is_stronger_than(pair[0]));
            assert!(!pair[0].is_stronger_than(pair[0]));
        }
    }
}
