//! The steps of migrating one claimed workload, each recorded, each safe to repeat.
//!
//! ```text
//! claim ─► mapping ─► read ─► write ─► verify ─► switch ─► rollout ─► health ─► finish
//!   └── failure before the switch: PENDING, later again ──┘  └── failure after it: ROLLED-BACK ──┘
//! ```
//!
//! A worker that is lost before the switch has changed nothing for the workload, so another starts from the beginning
//! and finds what is on the target already. One that is lost after the switch is followed by one that goes on from
//! there: going back to PENDING would leave a pending workload on the new platform, which the state machine forbids.

use std::time::Duration;

use crate::domain::{AuditEntry, SecretBackend, Transition};
use crate::error::{ErrorKind, Result};
use crate::migration::SecretMigration;
use crate::monitor::MigrationStep;
use crate::rollout::RolloutHealth;
use crate::store::StoredWorkload;

use super::copy::SecretOnTheWay;

/// What became of one workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MigrationResult {
    /// It is migrated.
    Migrated,
    /// The attempt failed before the switch; the workload is pending again, or held.
    Failed(String),
    /// It was switched, was not healthy, and is switched back.
    RolledBack(String),
    /// Somebody else has it, or changed it: nothing to do here.
    Lost,
}

const HEALTH_POLL: Duration = Duration::from_secs(2);

impl SecretMigration {
    /// Does all steps that are left of a claimed workload.
    pub(super) async fn migrate_claimed(
        &self,
        stored: &mut StoredWorkload,
        worker: &str,
    ) -> Result<MigrationResult> {
        let core = &self.core;
        if stored.workload().secret_backend == SecretBackend::Hashi {
            match self.copy_and_switch(stored, worker).await {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Changed => {
                    return Ok(MigrationResult::Lost);
                }
                Err(error) => return self.fail(stored, worker, &error.to_string()).await,
            }
        }
        let ended = match self.roll_out(stored, worker).await {
            Ok(()) => core.change(stored, Transition::Finish, worker).await,
            Err(error) if error.kind() == ErrorKind::Changed => Err(error),
            Err(error) => {
                let reason = format!("automatic rollback: {error}");
                return self.roll_back_claimed(stored, worker, reason).await;
            }
        };
        match ended {
            Ok(()) => {
                core.report_step(MigrationStep::Finish, true);
                core.counters.count_migrated();
                Ok(MigrationResult::Migrated)
            }
            Err(error) if error.kind() == ErrorKind::Changed => Ok(MigrationResult::Lost),
            Err(error) => Err(error),
        }
    }

    async fn copy_and_switch(&self, stored: &mut StoredWorkload, worker: &str) -> Result<()> {
        let core = &self.core;
        let workload = stored.workload().clone();
        let mapping = self.require_mapping(&workload.cluster, &workload.namespace).await?;
        self.record(stored, MigrationStep::ResolveMapping, mapping.smp_path.clone()).await?;
        let secrets = core.read_source(&workload, &mapping).await?;
        let count = described(&secrets);
        self.record(stored, MigrationStep::ReadSource, count.clone()).await?;
        self.keep_lease(stored, worker).await?;
        let target = core.write_target(&workload, &mapping, &secrets).await?;
        self.record(stored, MigrationStep::WriteTarget, count.clone()).await?;
        self.keep_lease(stored, worker).await?;
        core.verify_target(&secrets, &target).await?;
        self.record(stored, MigrationStep::Verify, count).await?;
        let source = core.read_references(&workload, &secrets);
        // The values are wiped before the workload is switched: nothing after this needs them.
        drop(secrets);
        core.change(stored, Transition::Switch { source, target }, worker).await?;
        core.report_step(MigrationStep::Switch, true);
        Ok(())
    }

    async fn roll_out(&self, stored: &mut StoredWorkload, worker: &str) -> Result<()> {
        let core = &self.core;
        let key = stored.workload().key();
        let change = stored.workload().switch_change.unwrap_or_default();
        let unhealthy = |why: String| crate::error::Error::conflict(why);
        let rollout = &core.platforms.rollout;
        rollout
            .trigger(&key, SecretBackend::Smp, change)
            .await
            .map_err(|why| unhealthy(format!("the rollout could not be triggered: {why}")))?;
        self.record(stored, MigrationStep::Rollout, "triggered".to_owned()).await?;
        let begin = core.environment.stopwatch();
        let timeout = Duration::from_secs(core.settings.health_timeout_seconds);
        loop {
            match rollout.health(&key).await {
                RolloutHealth::Healthy => break,
                RolloutHealth::Failing(why) => return Err(unhealthy(why)),
                RolloutHealth::Waiting => {}
            }
            if core.environment.stopwatch().saturating_sub(begin) >= timeout {
                let seconds = timeout.as_secs();
                return Err(unhealthy(format!("not healthy within {seconds} seconds")));
            }
            self.keep_lease(stored, worker).await?;
            core.environment.sleep(HEALTH_POLL).await;
        }
        self.record(stored, MigrationStep::Health, "healthy".to_owned()).await
    }

    /// The attempt failed before the switch.
    async fn fail(
        &self,
        stored: &mut StoredWorkload,
        worker: &str,
        error: &str,
    ) -> Result<MigrationResult> {
        let core = &self.core;
        let attempts = stored.workload().attempts;
        let hold = attempts >= core.settings.max_attempts;
        let delay = core.settings.retry_delay(attempts, core.environment.random());
        let failed = Transition::Fail { error: error.to_owned(), delay, hold };
        core.counters.count_failed();
        match core.change(stored, failed, worker).await {
            Ok(()) => Ok(MigrationResult::Failed(error.to_owned())),
            Err(error) if error.kind() == ErrorKind::Changed => Ok(MigrationResult::Lost),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn roll_back_claimed(
        &self,
        stored: &mut StoredWorkload,
        worker: &str,
        reason: String,
    ) -> Result<MigrationResult> {
        let core = &self.core;
        let key = stored.workload().key();
        let back = Transition::RollBack { reason: reason.clone() };
        match core.change(stored, back, worker).await {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::Changed => return Ok(MigrationResult::Lost),
            Err(error) => return Err(error),
        }
        core.counters.count_rolled_back();
        let change = stored.workload().last_change.number;
        if let Err(why) = core.platforms.rollout.trigger(&key, SecretBackend::Hashi, change).await {
            tracing::warn!(workload = %key, why, "the rollout after a rollback could not be triggered");
        }
        Ok(MigrationResult::RolledBack(reason))
    }

    /// Records a step in the audit.
    async fn record(
        &self,
        stored: &mut StoredWorkload,
        step: MigrationStep,
        detail: String,
    ) -> Result<()> {
        self.core.report_step(step, false);
        let entry =
            AuditEntry::of_step(stored.workload(), step.numbered_name(), detail, self.core.now());
        stored.charge += self.core.append_audit(&entry).await?;
        self.core.report_step(step, true);
        Ok(())
    }

    /// Renews the lease when half of it has passed.
    async fn keep_lease(&self, stored: &mut StoredWorkload, worker: &str) -> Result<()> {
        let lease = self.core.settings.lease();
        let until = stored.workload().claim_until.unwrap_or_default();
        if until.since(self.core.now()) > lease / 2 {
            return Ok(());
        }
        self.core.change(stored, Transition::Renew { lease }, worker).await
    }
}

/// What is copied, for the audit.
fn described(secrets: &[SecretOnTheWay]) -> String {
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let paths = counted(secrets.len(), "path");
    match secrets.iter().map(|secret| secret.earlier.len()).sum() {
        0 => paths,
        earlier => format!("{paths}, {}", counted(earlier + secrets.len(), "version")),
    }
}
