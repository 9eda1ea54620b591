//! The changes of a workload: each sets status and backend together, and refuses what the tables do not allow.
//!
//! Owns what a change does to the document. Does not own when it happens (`reaction`, `action`) nor the conditional
//! write that makes it one change (`store`).

use std::time::Duration;

use service::work::UtcTimestamp;

use super::reference::{HashiSecrets, SmpSecrets};
use super::status::{MigrationStatus, SecretBackend};
use super::workload::TrackedWorkload;

/// A change of a workload.
#[derive(Clone, Debug)]
pub enum Transition {
    /// A worker claims a pending workload.
    Claim {
        /// The worker.
        worker: String,
        /// How long it has.
        lease: Duration,
    },
    /// A worker goes on with a workload that another has switched and left.
    TakeOver {
        /// The worker.
        worker: String,
        /// How long it has.
        lease: Duration,
    },
    /// The worker needs longer.
    Renew {
        /// How long it has from now.
        lease: Duration,
    },
    /// The worker was lost before the switch.
    LoseLease,
    /// The attempt failed before the switch.
    Fail {
        /// Why, without values.
        error: String,
        /// The pause before the next attempt.
        delay: Duration,
        /// Whether the attempts are spent.
        hold: bool,
    },
    /// The workload gets its secrets from the new platform from now on.
    Switch {
        /// What was copied.
        source: HashiSecrets,
        /// Where to.
        target: SmpSecrets,
    },
    /// The migration ended.
    Finish,
    /// The workload gets its secrets from Vault again.
    RollBack {
        /// Why.
        reason: String,
    },
    /// A rolled-back or pending workload, held or not, is to be migrated with all its attempts.
    Retry,
    /// Somebody asks for the migration of a pending workload.
    Request,
}

/// A change that the state machine does not allow. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// The change.
    pub action: &'static str,
    /// The status of the workload.
    pub status: MigrationStatus,
    /// The backend of the workload.
    pub backend: SecretBackend,
}

impl std::fmt::Display for IllegalMove {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { action, status, backend } = self;
        write!(formatter, "a workload that is {status} on {backend} cannot {action}")
    }
}

impl Transition {
    /// The name of the change in the audit.
    #[must_use]
    pub fn action(&self) -> &'static str {
        match self {
            Self::Claim { .. } => "claim",
            Self::TakeOver { .. } => "take over",
            Self::Renew { .. } => "renew",
            Self::LoseLease => "lose lease",
            Self::Fail { hold: false, .. } => "fail",
            Self::Fail { hold: true, .. } => "fail and hold",
            Self::Switch { .. } => "switch",
            Self::Finish => "finish",
            Self::RollBack { .. } => "roll back",
            Self::Retry => "retry",
            Self::Request => "request",
        }
    }

    /// Status and backend afterwards; `None` if the change is not for a workload in this state.
    fn outcome(&self, from: &TrackedWorkload) -> Option<(MigrationStatus, SecretBackend)> {
        use MigrationStatus::{InProgress, Migrated, Pending, RolledBack};
        use SecretBackend::{Hashi, Smp};
        let state = (from.migration_status, from.secret_backend);
        match (self, state) {
            (Self::Claim { .. }, (Pending, Hashi)) => Some((InProgress, Hashi)),
            (Self::TakeOver { .. } | Self::Renew { .. }, (InProgress, _)) => Some(state),
            (Self::LoseLease | Self::Fail { .. }, (InProgress, Hashi)) => Some((Pending, Hashi)),
            (Self::Switch { .. }, (InProgress, Hashi)) => Some((InProgress, Smp)),
            (Self::Finish, (InProgress, Smp)) => Some((Migrated, Smp)),
            (Self::RollBack { .. }, (InProgress | Migrated, _)) => Some((RolledBack, Hashi)),
            (Self::Retry, (RolledBack | Pending, Hashi)) | (Self::Request, (Pending, Hashi)) => {
                Some((Pending, Hashi))
            }
            _ => None,
        }
    }
}

impl TrackedWorkload {
    /// Makes a change.
    ///
    /// # Errors
    /// [`IllegalMove`]; the workload is as before.
    pub fn apply(
        &mut self,
        transition: Transition,
        by: &str,
        now: UtcTimestamp,
    ) -> Result<(), IllegalMove> {
        let action = transition.action();
        let refused =
            IllegalMove { action, status: self.migration_status, backend: self.secret_backend };
        let (status, backend) = transition.outcome(self).ok_or_else(|| refused.clone())?;
        // The tables have the last word: a mistake in `outcome` cannot write a pair or a move that they do not list.
        let is_listed =
            status == self.migration_status || self.migration_status.allows_move_to(status);
        if !is_listed || !status.allows_backend(backend) {
            return Err(refused);
        }
        (self.migration_status, self.secret_backend) = (status, backend);
        self.set_details(transition, now);
        self.record_change(action, by, now);
        Ok(())
    }

    /// Numbers a change. Every write of the document has one, so that two writers never share a number.
    pub(crate) fn record_change(&mut self, action: &str, by: &str, now: UtcTimestamp) {
        self.updated_at = now;
        let last = &mut self.last_change;
        (last.number, last.at) = (last.number + 1, now);
        (last.by, last.action) = (by.to_owned(), action.to_owned());
    }

    fn set_details(&mut self, transition: Transition, now: UtcTimestamp) {
        match transition {
            Transition::Claim { worker, lease } | Transition::TakeOver { worker, lease } => {
                (self.claimed_by, self.claim_until) = (Some(worker), Some(now.after(lease)));
                self.attempts += 1;
                self.next_attempt_at = None;
            }
            Transition::Renew { lease } => self.claim_until = Some(now.after(lease)),
            Transition::LoseLease => {
                self.last_error = Some("the worker was lost".to_owned());
                self.end_claim();
            }
            Transition::Fail { error, delay, hold } => {
                self.last_error = Some(error);
                self.next_attempt_at = (!hold).then(|| now.after(delay));
                self.paused = hold;
                self.reason = hold.then(|| format!("held after {} attempts", self.attempts));
                self.end_claim();
            }
            Transition::Switch { source, target } => {
                (self.hashi_secrets, self.smp_secrets) = (source, Some(target));
                self.drift = None;
                // The number that `record_change` gives to this change.
                self.switch_change = Some(self.last_change.number + 1);
            }
            Transition::Finish => {
                self.migrated_at = Some(now);
                (self.last_error, self.reason, self.requested) = (None, None, false);
                self.end_claim();
            }
            Transition::RollBack { reason } => {
                self.rolled_back_at = Some(now);
                (self.reason, self.requested) = (Some(reason), false);
                self.end_claim();
            }
            Transition::Retry => {
                (self.attempts, self.next_attempt_at, self.paused) = (0, None, false);
                (self.last_error, self.reason, self.requested) = (None, None, true);
            }
            Transition::Request => (self.requested, self.next_attempt_at) = (true, None),
        }
    }

    fn end_claim(&mut self) {
        (self.claimed_by, self.claim_until) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::WorkloadKey;

    fn workload(status: MigrationStatus, backend: SecretBackend) -> TrackedWorkload {
        let key = WorkloadKey::parse("c", "n", "w").unwrap();
        let now = UtcTimestamp::from_ms(1_000);
        let mut workload =
            TrackedWorkload::discovered(&key, None, HashiSecrets::default(), "test", now);
        (workload.migration_status, workload.secret_backend) = (status, backend);
        workload
    }

    fn all() -> Vec<Transition> {
        let lease = Duration::from_secs(300);
        let worker = "w".to_owned();
        vec![
            Transition::Claim { worker: worker.clone(), lease },
            Transition::TakeOver { worker, lease },
            Transition::Renew { lease },
            Transition::LoseLease,
            Transition::Fail { error: "e".to_owned(), delay: lease, hold: false },
            Transition::Fail { error: "e".to_owned(), delay: lease, hold: true },
            Transition::Switch { source: HashiSecrets::default(), target: SmpSecrets::default() },
            Transition::Finish,
            Transition::RollBack { reason: "r".to_owned() },
            Transition::Retry,
            Transition::Request,
        ]
    }

    #[test]
    fn no_change_leads_to_an_illegal_pair_or_move_from_any_pair() {
        let mut refused = 0;
        for status in MigrationStatus::ALL {
            for backend in SecretBackend::ALL {
                for transition in all() {
                    let before = workload(*status, *backend);
                    let mut after = before.clone();
                    let action = transition.action();
                    match after.apply(transition, "test", UtcTimestamp::from_ms(2_000)) {
                        Ok(()) => {
                            let (to, with) = (after.migration_status, after.secret_backend);
                            assert!(
                                to == *status || status.allows_move_to(to),
                                "{action} {status}"
                            );
                            assert!(to.allows_backend(with), "{action}: {to} on {with}");
                            assert_eq!(after.last_change.number, before.last_change.number + 1);
                        }
                        Err(illegal) => {
                            refused += 1;
                            assert_eq!(after, before, "{illegal}");
                        }
                    }
                }
            }
        }
        assert_eq!(refused, 8 * 11 - 17);
    }

    #[test]
    fn a_rollback_from_the_middle_ends_the_claim() {
        let mut one = workload(MigrationStatus::InProgress, SecretBackend::Smp);
        one.claimed_by = Some("w".to_owned());
        one.apply(Transition::RollBack { reason: "r".to_owned() }, "ann", UtcTimestamp::from_ms(5))
            .unwrap();
        assert_eq!((one.claimed_by, one.secret_backend), (None, SecretBackend::Hashi));
        assert_eq!(one.last_change.by, "ann");
    }
}
