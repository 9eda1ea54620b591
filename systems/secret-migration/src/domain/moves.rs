//! The state machine: which status may follow which, and which backend goes with which status.
//!
//! Owns both tables, and nothing else has a rule about them. Everything that is not listed is refused.

use super::status::MigrationStatus::{self, InProgress, Migrated, Pending, RolledBack};
use super::status::SecretBackend::{self, Hashi, Smp};

/// The moves from one status to another.
pub const MOVES: &[(MigrationStatus, MigrationStatus)] = &[
    (Pending, InProgress),
    (InProgress, Migrated),
    (InProgress, Pending),
    (InProgress, RolledBack),
    (Migrated, RolledBack),
    (RolledBack, Pending),
];

/// The backends that go with a status. `IN-PROGRESS` has both: the switch happens in the middle of it.
pub const PAIRS: &[(MigrationStatus, SecretBackend)] = &[
    (Pending, Hashi),
    (InProgress, Hashi),
    (InProgress, Smp),
    (Migrated, Smp),
    (RolledBack, Hashi),
];

impl MigrationStatus {
    /// Whether this status may follow.
    #[must_use]
    pub fn allows_move_to(self, next: Self) -> bool {
        MOVES.contains(&(self, next))
    }

    /// Whether a workload of this status may have this backend.
    #[must_use]
    pub fn allows_backend(self, backend: SecretBackend) -> bool {
        PAIRS.contains(&(self, backend))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_every_legal_case_and_no_other() {
        let moves = MigrationStatus::ALL.iter().flat_map(|from| {
            MigrationStatus::ALL
                .iter()
                .filter(|to| from.allows_move_to(**to))
                .map(move |to| (from, to))
        });
        assert_eq!(moves.count(), 6);
        let pairs = MigrationStatus::ALL.iter().flat_map(|status| {
            SecretBackend::ALL.iter().filter(|backend| status.allows_backend(**backend))
        });
        assert_eq!(pairs.count(), 5);
    }

    #[test]
    fn every_move_has_a_backend_that_fits_both_ends() {
        for (from, to) in MOVES {
            let fits = |backend: &&SecretBackend| {
                from.allows_backend(**backend) || to.allows_backend(**backend)
            };
            assert!(SecretBackend::ALL.iter().any(|backend| fits(&backend)), "{from} {to}");
        }
    }
}
