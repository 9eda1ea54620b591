//! The charge model and its profiles.
//!
//! Owns the name and version of the model, the profiles and the factor of strong reads. Does not own the prices.

use std::fmt;

use crate::{ConsistencyLevel, Result, ValidationError};

/// Name and version of the model: the figures that the service had published by that month.
pub const CHARGE_MODEL: &str = "azure-2026-04";

/// Whether a replace also pays for the removal of the old version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChargeProfile {
    /// Like the hosted service: a replace pays for the removal of the old version and the write of the new one.
    #[default]
    Azure,
    /// A replace pays for the write only, as the service does inside scripts.
    Native,
}

impl ChargeProfile {
    /// Every profile.
    pub const ALL: [Self; 2] = [Self::Azure, Self::Native];

    /// Parses the name of a profile.
    ///
    /// # Errors
    /// When the name is unknown.
    pub fn parse(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|profile| profile.as_str() == text);
        found.ok_or_else(|| {
            ValidationError::new(format!(
                "The charge profile '{text}' is unknown; use azure or native."
            ))
        })
    }

    /// The name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Azure => "azure",
            Self::Native => "native",
        }
    }

    /// How many times the removal of an old version is paid for.
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

/// How many times a read is paid for at a level: reads at the two strongest levels use two replicas.
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
