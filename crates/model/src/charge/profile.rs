//! Which model prices an operation, and by which profile.
//!
//! Owns the name and version of the model, the profiles and the factor of strong reads. Does not own the figures.

use std::fmt;

use crate::{ConsistencyLevel, Result, ValidationError};

/// Name and version of the model: the service's published figures of that month.
pub const CHARGE_MODEL: &str = "azure-2026-04";

/// Whether writing over an old version pays for its removal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChargeProfile {
    /// As the hosted service: a replace costs the removal of the old version and the write of the new one.
    #[default]
    Azure,
    /// A replace costs its write; so does the service inside scripts.
    Native,
}

impl ChargeProfile {
    /// Every profile.
    pub const ALL: [Self; 2] = [Self::Azure, Self::Native];

    /// Reads the name of a profile.
    ///
    /// # Errors
    /// When there is no profile of that name.
    pub fn parse(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|profile| profile.as_str() == text);
        found.ok_or_else(|| {
            ValidationError::new(format!(
                "The charge profile '{text}' is unknown; use azure or native."
            ))
        })
    }

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Azure => "azure",
            Self::Native => "native",
        }
    }

    /// How often the removal of an old version is paid: kappa of the formula.
    #[must_use]
    pub const fn removals_paid(self) -> u64 {
        match self {
            Self::Azure => 1,
            Self::Native => 0,
        }
    }
}

impl fmt::Display for ChargeProfile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// How often a read is paid at a level: two replicas answer the two strongest.
#[must_use]
pub const fn consistency_factor(level: ConsistencyLevel) -> u64 {
    match level {
        ConsistencyLevel::Strong | ConsistencyLevel::BoundedStaleness => 2,
        ConsistencyLevel::Session
        | ConsistencyLevel::ConsistentPrefix
        | ConsistencyLevel::Eventual => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_back_from_its_name() {
        for profile in ChargeProfile::ALL {
            assert_eq!(ChargeProfile::parse(profile.as_str()), Ok(profile));
        }
        let refused = ChargeProfile::parse("gold").unwrap_err();
        assert_eq!(refused.message(), "The charge profile 'gold' is unknown; use azure or native.");
    }
}
