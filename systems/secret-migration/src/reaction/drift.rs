//! Drift: what changed in Vault after the copy, and copying it again.

use serde::Serialize;

use crate::domain::{ClusterName, DriftRecord, MigrationStatus, TrackedWorkload, WorkloadKey};
use crate::error::{Error, Result};
use crate::migration::SecretMigration;
use crate::source::SecretLocation;

/// What a drift check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftReport {
    /// Workloads that were compared.
    pub checked: u64,
    /// Workloads whose source has changed, with the paths.
    pub drifted: Vec<(String, Vec<String>)>,
    /// Workloads that were copied again.
    pub synced: Vec<String>,
    /// Workloads that could not be compared or copied, with the reason.
    pub failed: Vec<(String, String)>,
}

impl SecretMigration {
    /// Compares the versions in Vault of every migrated workload of a cluster with those that were copied, and flags
    /// those that differ. With `resync`, copies them again.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn check_drift(
        &self,
        cluster: &ClusterName,
        resync: bool,
        by: &str,
    ) -> Result<DriftReport> {
        let mut report = DriftReport::default();
        for workload in self.all_workloads(cluster).await? {
            if workload.migration_status != MigrationStatus::Migrated {
                continue;
            }
            report.checked += 1;
            match self.check_workload(&workload, resync, by).await {
                Ok(paths) if paths.is_empty() => {}
                Ok(paths) => {
                    if resync {
                        report.synced.push(workload.id.clone());
                    }
                    report.drifted.push((workload.id, paths));
                }
                Err(error) => report.failed.push((workload.id, error.to_string())),
            }
        }
        Ok(report)
    }

    async fn check_workload(
        &self,
        workload: &TrackedWorkload,
        resync: bool,
        by: &str,
    ) -> Result<Vec<String>> {
        let secrets = &workload.hashi_secrets;
        let mut changed = Vec::new();
        for item in &secrets.items {
            let mount = secrets.mount_of(item).to_owned();
            let location = SecretLocation { mount, path: item.path.clone() };
            let source = &self.core.platforms.source;
            let version = self.core.patiently(|| source.live_version(&location)).await?;
            if item.version != Some(version.into()) {
                changed.push(location.to_string());
            }
        }
        match (changed.is_empty(), resync) {
            (true, _) => {}
            (false, true) => self.resync(&workload.key(), by).await?,
            (false, false) => self.flag_drift(&workload.key(), &changed, by).await?,
        }
        Ok(changed)
    }

    async fn flag_drift(&self, key: &WorkloadKey, paths: &[String], by: &str) -> Result<()> {
        let mut stored = self.core.read_workload(key).await?;
        if stored.workload().drift.as_ref().is_some_and(|drift| drift.paths == paths) {
            return Ok(());
        }
        let mut flagged = stored.workload().clone();
        let (found_at, paths) = (self.core.now(), paths.to_vec());
        flagged.drift = Some(DriftRecord { found_at, paths });
        flagged.record_change("flag drift", by, found_at);
        self.core.save(&mut stored, flagged).await
    }

    /// Copies the secrets of a migrated workload again: check-and-set on the version of the last copy.
    ///
    /// # Errors
    /// `Conflict` if it is not migrated or the target was changed by somebody else; those of the platforms.
    pub async fn resync(&self, key: &WorkloadKey, by: &str) -> Result<()> {
        let core = &self.core;
        let mut stored = core.read_workload(key).await?;
        let workload = stored.workload().clone();
        if workload.migration_status != MigrationStatus::Migrated {
            let status = workload.migration_status;
            return Err(Error::conflict(format!(
                "{key} is {status}; only MIGRATED is synchronised"
            )));
        }
        let mapping = self.require_mapping(&key.cluster, &key.namespace).await?;
        let secrets = core.read_source(&workload, &mapping).await?;
        let target = core.write_target(&workload, &mapping, &secrets).await?;
        core.verify_target(&secrets, &target).await?;
        let mut synced = workload.clone();
        synced.hashi_secrets = core.read_references(&workload, &secrets);
        synced.smp_secrets = Some(target);
        synced.drift = None;
        synced.record_change("synchronise", by, core.now());
        core.save(&mut stored, synced).await
    }
}
