//! Where a workload is in its migration, and where it gets its secrets from.
//!
//! Owns the stored spelling. Does not own which status may follow which (`moves`).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where a workload is in its migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MigrationStatus {
    /// Waiting to be migrated.
    Pending,
    /// Claimed by a worker.
    InProgress,
    /// It gets its secrets from the new platform.
    Migrated,
    /// It was switched back.
    RolledBack,
}

/// Where a workload gets its secrets from: the switch that it obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecretBackend {
    /// HashiCorp Vault.
    Hashi,
    /// The new platform.
    Smp,
}

macro_rules! stored_names {
    ($kind:ident, $what:literal, $($value:ident = $name:literal),+) => {
        impl $kind {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The stored name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name),+
                }
            }

            /// The value of this name, in any case.
            ///
            /// # Errors
            /// The names that there are.
            pub fn parse(name: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().find(|value| value.name().eq_ignore_ascii_case(name));
                found.copied().ok_or_else(|| {
                    let known = Self::ALL.iter().map(|value| value.name()).collect::<Vec<_>>();
                    let shown: String = name.chars().take(40).collect();
                    format!("'{shown}' is no {}; known are {}", $what, known.join(", "))
                })
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Self::parse(&name).map_err(serde::de::Error::custom)
            }
        }
    };
}

stored_names!(
    MigrationStatus,
    "status",
    Pending = "PENDING",
    InProgress = "IN-PROGRESS",
    Migrated = "MIGRATED",
    RolledBack = "ROLLED-BACK"
);
stored_names!(SecretBackend, "backend", Hashi = "hashi", Smp = "smp");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_in_any_case_and_stored_in_one() {
        for name in ["IN-PROGRESS", "in-progress", "In-Progress"] {
            assert_eq!(MigrationStatus::parse(name).unwrap(), MigrationStatus::InProgress);
        }
        let stored = serde_json::to_string(&MigrationStatus::RolledBack).unwrap();
        assert_eq!(stored, "\"ROLLED-BACK\"");
        let unknown = MigrationStatus::parse("FAILED").unwrap_err();
        assert!(unknown.contains("PENDING, IN-PROGRESS, MIGRATED, ROLLED-BACK"), "{unknown}");
        assert!(SecretBackend::parse("foo").unwrap_err().contains("hashi, smp"));
    }
}
