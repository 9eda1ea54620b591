//! The workers of a cluster: find pending workloads, claim, migrate, and clean up after lost workers.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use futures::StreamExt as _;

use crate::domain::{ClusterName, SecretBackend, Transition, Wave, WaveStatus, WorkloadKey};
use crate::error::{Error, ErrorKind, Result};
use crate::hook::HookEvent;
use crate::migration::SecretMigration;
use crate::monitor::MigrationStep;
use crate::question::PendingWorkload;

use super::migrate::MigrationResult;

/// Which pending workloads a round takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunScope {
    /// Those that somebody asked for, and those of running waves.
    Requested,
    /// All, except those of waves that do not run.
    All,
}

/// What one round over a cluster did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundReport {
    /// Migrated.
    pub migrated: u64,
    /// Failed, with the error.
    pub failed: Vec<(String, String)>,
    /// Rolled back after the switch, with the reason.
    pub rolled_back: Vec<(String, String)>,
    /// Lost workers whose workloads were taken over or released.
    pub recovered: u64,
    /// Request units of lists, claims and changes.
    pub charge: f64,
}

impl SecretMigration {
    /// One round over a cluster: every due pending workload of the scope is tried once.
    ///
    /// # Errors
    /// `MappingMissing` if the mappings are stale; those of the account.
    pub async fn run_cluster(
        &self,
        cluster: &ClusterName,
        scope: RunScope,
        worker: &str,
    ) -> Result<RoundReport> {
        let mut report = RoundReport::default();
        self.recover(cluster, worker, &mut report).await?;
        let mut continuation = None;
        let mut is_fresh = false;
        loop {
            let page = self.pending(cluster, continuation).await?;
            report.charge += page.charge;
            let now = self.core.now();
            let waves = self.running_waves().await?;
            let due = page
                .rows
                .into_iter()
                .filter(|row| row.is_due(now) && self.is_chosen(row, scope, &waves));
            let due: Vec<_> = due.collect();
            if !due.is_empty() && !is_fresh {
                self.require_fresh_mappings(cluster).await?;
                is_fresh = true;
            }
            self.work_on(due, worker, &mut report).await?;
            continuation = page.continuation;
            if continuation.is_none() || self.is_stopping() {
                break;
            }
        }
        self.finish_waves(cluster).await?;
        Ok(report)
    }

    /// Whether a round takes a workload. No scope, request or retry takes one that needs an approval and has none.
    fn is_chosen(&self, row: &PendingWorkload, scope: RunScope, running: &[Wave]) -> bool {
        let of_row = |wave: &&Wave| row.wave.as_ref() == Some(&wave.id);
        let wave = running.iter().find(of_row);
        let is_asked_for = match &row.wave {
            Some(_) => wave.is_some_and(|wave| wave.selector.cluster == row.cluster),
            None => row.requested || scope == RunScope::All,
        };
        is_asked_for && self.core.settings.allows(&row.cluster, wave)
    }

    async fn require_fresh_mappings(&self, cluster: &ClusterName) -> Result<()> {
        match self.stale_mapping(cluster).await? {
            Some(why) => Err(Error::new(ErrorKind::MappingMissing, why)),
            None => Ok(()),
        }
    }

    async fn work_on(
        &self,
        due: Vec<PendingWorkload>,
        worker: &str,
        report: &mut RoundReport,
    ) -> Result<()> {
        let works = futures::stream::iter(due)
            .map(|row| async move {
                let result = self.claim_and_migrate(&row, worker).await;
                (row.key(), result)
            })
            .buffer_unordered(self.core.settings.workers);
        tokio::pin!(works);
        while let Some((key, result)) = works.next().await {
            let (result, charge) = result?;
            report.charge += charge;
            report.add(&key, result);
        }
        Ok(())
    }

    /// Whether the workers of this process begin nothing new.
    fn is_stopping(&self) -> bool {
        self.core.is_stopping.load(Ordering::Relaxed)
    }

    async fn claim_and_migrate(
        &self,
        row: &PendingWorkload,
        worker: &str,
    ) -> Result<(MigrationResult, f64)> {
        if self.is_stopping() {
            return Ok((MigrationResult::Lost, 0.0));
        }
        if let Some(wave) = &row.wave
            && !self.wait_for_wave(wave).await?
        {
            return Ok((MigrationResult::Lost, 0.0));
        }
        let core = &self.core;
        let mut stored = core.read_workload(&row.key()).await?;
        let lease = core.settings.lease();
        let claim = Transition::Claim { worker: worker.to_owned(), lease };
        match core.change(&mut stored, claim, worker).await {
            Ok(()) => core.report_step(MigrationStep::Claim, true),
            // Another worker has it, or an operator has changed it since the list was read.
            Err(error) if matches!(error.kind(), ErrorKind::Changed | ErrorKind::Conflict) => {
                return Ok((MigrationResult::Lost, stored.charge));
            }
            Err(error) => return Err(error),
        }
        let result = self.migrate_claimed(&mut stored, worker).await?;
        self.notify_of_result(&row.key(), &result, stored.workload().paused);
        self.note_in_wave(&row.key(), row.wave.as_deref(), &result).await?;
        core.pace.take(stored.charge, &core.environment).await;
        Ok((result, stored.charge))
    }

    fn notify_of_result(&self, key: &WorkloadKey, result: &MigrationResult, is_held: bool) {
        let (event, reason) = match result {
            MigrationResult::Failed(error) if is_held => (HookEvent::WorkloadHeld, error),
            MigrationResult::Failed(error) => (HookEvent::WorkloadFailed, error),
            MigrationResult::RolledBack(reason) => (HookEvent::WorkloadRolledBack, reason),
            MigrationResult::Migrated | MigrationResult::Lost => return,
        };
        self.core.notify(event, &key.id(), reason);
    }

    /// Waits for the next slot of a wave's rate; `false` if the wave does not run any more.
    async fn wait_for_wave(&self, id: &str) -> Result<bool> {
        let wave = match self.wave(id).await {
            Ok(wave) => wave,
            // Operators may name a wave that was never planned; its workloads have no rate.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(error),
        };
        if wave.status != WaveStatus::Running {
            return Ok(false);
        }
        if wave.rate_per_minute.is_none() {
            return Ok(true);
        }
        let now = self.core.now();
        let slot = std::sync::Mutex::new(None);
        let wave = self
            .modify_wave(id, |wave| {
                let taken = wave.take_slot(now);
                *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = taken;
                Ok(())
            })
            .await?;
        let slot = slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(slot) = slot {
            self.core.environment.sleep(slot.since(now)).await;
        }
        Ok(wave.status == WaveStatus::Running)
    }

    async fn note_in_wave(
        &self,
        key: &WorkloadKey,
        wave: Option<&str>,
        result: &MigrationResult,
    ) -> Result<()> {
        let (Some(wave), Some(error)) = (wave, result.wave_error()) else { return Ok(()) };
        let known = match self.wave(wave).await {
            Ok(known) => known,
            Err(missing) if missing.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        // Successes of a workload that never failed change nothing in the wave: no write.
        if error.is_none() && !known.failures.contains_key(&key.id()) {
            return Ok(());
        }
        let noted = self.modify_wave(wave, |wave| {
            wave.note_result(&key.id(), error);
            Ok(())
        });
        let noted = noted.await?;
        if known.status == WaveStatus::Running && noted.status == WaveStatus::Stopped {
            let reason = noted.reason.unwrap_or_default();
            self.core.notify(HookEvent::WaveStopped, &noted.id, &reason);
        }
        Ok(())
    }

    /// Ends running waves that have nothing left to do.
    async fn finish_waves(&self, cluster: &ClusterName) -> Result<()> {
        let running = self.running_waves().await?;
        let running: Vec<Wave> =
            running.into_iter().filter(|wave| wave.selector.cluster == *cluster).collect();
        if running.is_empty() {
            return Ok(());
        }
        let mut open: BTreeMap<String, u64> = BTreeMap::new();
        let mut continuation = None;
        loop {
            let page = self.pending(cluster, continuation).await?;
            let waiting = page.rows.into_iter().filter(|row| !row.paused && !row.missing);
            for wave in waiting.filter_map(|row| row.wave) {
                *open.entry(wave).or_default() += 1;
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
        for workload in self.in_progress(cluster).await? {
            if let Some(wave) = workload.wave {
                *open.entry(wave).or_default() += 1;
            }
        }
        for wave in running.into_iter().filter(|wave| !open.contains_key(&wave.id)) {
            self.modify_wave(&wave.id, |wave| {
                if wave.status == WaveStatus::Running {
                    wave.status = WaveStatus::Finished;
                }
                Ok(())
            })
            .await?;
            let reason = format!("{} workloads, {} failures", wave.total, wave.failures.len());
            self.core.notify(HookEvent::WaveFinished, &wave.id, &reason);
        }
        Ok(())
    }

    /// Takes care of workloads whose worker was lost.
    async fn recover(
        &self,
        cluster: &ClusterName,
        worker: &str,
        report: &mut RoundReport,
    ) -> Result<()> {
        let now = self.core.now();
        for workload in self.in_progress(cluster).await? {
            if !workload.has_lost_worker(now) {
                continue;
            }
            let mut stored = self.core.read_workload(&workload.key()).await?;
            if !stored.workload().has_lost_worker(now) {
                continue;
            }
            report.recovered += 1;
            let recovered = if workload.secret_backend == SecretBackend::Hashi {
                self.release(&mut stored, worker).await.map(|()| MigrationResult::Lost)
            } else {
                self.go_on(&mut stored, worker).await
            };
            match recovered {
                Ok(result) => {
                    self.note_in_wave(&workload.key(), workload.wave.as_deref(), &result).await?;
                    report.add(&workload.key(), result);
                }
                Err(error) if error.kind() == ErrorKind::Changed => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Before the switch: the workload is pending again, or held if this was its last attempt.
    async fn release(&self, stored: &mut crate::store::StoredWorkload, worker: &str) -> Result<()> {
        let is_last = stored.workload().attempts >= self.core.settings.max_attempts;
        let lost = if is_last {
            let error = "the worker was lost".to_owned();
            Transition::Fail { error, delay: std::time::Duration::ZERO, hold: true }
        } else {
            Transition::LoseLease
        };
        self.core.change(stored, lost, worker).await
    }

    /// After the switch: another worker goes on, unless too many were lost.
    async fn go_on(
        &self,
        stored: &mut crate::store::StoredWorkload,
        worker: &str,
    ) -> Result<MigrationResult> {
        if stored.workload().attempts >= self.core.settings.max_attempts {
            let reason = "automatic rollback: its workers were lost again and again".to_owned();
            return self.roll_back_claimed(stored, worker, reason).await;
        }
        let lease = self.core.settings.lease();
        let take_over = Transition::TakeOver { worker: worker.to_owned(), lease };
        self.core.change(stored, take_over, worker).await?;
        self.migrate_claimed(stored, worker).await
    }
}

impl MigrationResult {
    /// What a wave notes: an error, or that there is none. `None` if the workload was not ours.
    fn wave_error(&self) -> Option<Option<&str>> {
        match self {
            Self::Migrated => Some(None),
            Self::Failed(error) | Self::RolledBack(error) => Some(Some(error)),
            Self::Lost => None,
        }
    }
}

impl RoundReport {
    fn add(&mut self, key: &WorkloadKey, result: MigrationResult) {
        match result {
            MigrationResult::Migrated => self.migrated += 1,
            MigrationResult::Failed(error) => self.failed.push((key.id(), error)),
            MigrationResult::RolledBack(reason) => self.rolled_back.push((key.id(), reason)),
            MigrationResult::Lost => {}
        }
    }
}
