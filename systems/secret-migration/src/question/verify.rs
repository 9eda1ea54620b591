//! Verifying migrated workloads against the target, and lists for spreadsheets.

use serde::Serialize;

use crate::domain::{ClusterName, SecretBackend, TrackedWorkload};
use crate::error::Result;
use crate::migration::SecretMigration;

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetReport {
    /// Switched workloads that were compared.
    pub checked: u64,
    /// Paths whose data on the target is what was copied.
    pub equal: u64,
    /// Paths that are gone or have other data, with the workload.
    pub different: Vec<(String, String)>,
    /// Paths that cannot be compared, with the reason.
    pub unknown: Vec<(String, String)>,
}

impl SecretMigration {
    /// Compares what is on the target with the fingerprints of the copies.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn verify(&self, cluster: &ClusterName) -> Result<TargetReport> {
        let mut report = TargetReport::default();
        for workload in self.all_workloads(cluster).await? {
            if workload.secret_backend == SecretBackend::Smp {
                report.checked += 1;
                self.verify_workload(&workload, &mut report).await;
            }
        }
        Ok(report)
    }

    async fn verify_workload(&self, workload: &TrackedWorkload, report: &mut TargetReport) {
        let core = &self.core;
        let key = workload.hashi_secrets.fingerprint_key.as_deref();
        if key != Some(core.fingerprints.id()) {
            let why = "its fingerprints were made with another Migration:FingerprintSecret";
            report.unknown.push((workload.id.clone(), why.to_owned()));
            return;
        }
        for item in workload.smp_secrets.iter().flat_map(|secrets| &secrets.items) {
            match core.platforms.target.read(&item.path).await {
                Ok(Some(there))
                    if core.fingerprints.fingerprint(&there.data) == item.fingerprint =>
                {
                    report.equal += 1;
                }
                Ok(_) => report.different.push((workload.id.clone(), item.path.clone())),
                Err(error) => report.unknown.push((workload.id.clone(), error.to_string())),
            }
        }
    }

    /// All workloads of a cluster as rows of text, with their heading: for spreadsheets.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn export(&self, cluster: &ClusterName) -> Result<Vec<Vec<String>>> {
        let head = [
            "cluster",
            "namespace",
            "workload",
            "kind",
            "status",
            "backend",
            "wave",
            "owner",
            "paths",
            "attempts",
            "paused",
            "missing",
            "updatedAt",
            "migratedAt",
            "rolledBackAt",
            "lastError",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        let mut workloads = self.all_workloads(cluster).await?;
        workloads.sort_by(|one, other| one.id.cmp(&other.id));
        for one in workloads {
            let time = |at: Option<crate::domain::UtcTimestamp>| {
                at.map(|at| at.to_string()).unwrap_or_default()
            };
            rows.push(vec![
                one.cluster.to_string(),
                one.namespace.to_string(),
                one.workload_name.to_string(),
                one.workload_kind.map(|kind| kind.name().to_owned()).unwrap_or_default(),
                one.migration_status.name().to_owned(),
                one.secret_backend.name().to_owned(),
                one.wave.unwrap_or_default(),
                one.owner.unwrap_or_default(),
                one.hashi_secrets.items.len().to_string(),
                one.attempts.to_string(),
                one.paused.to_string(),
                one.missing.to_string(),
                one.updated_at.to_string(),
                time(one.migrated_at),
                time(one.rolled_back_at),
                one.last_error.unwrap_or_default(),
            ]);
        }
        Ok(rows)
    }
}
