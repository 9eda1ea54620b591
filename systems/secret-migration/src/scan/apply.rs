//! Bringing the documents of a cluster in line with what a scan found.
//!
//! Owns that a scan never touches status, backend or history, and that a second scan of the same objects writes
//! nothing. Values of secrets are never read here.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::domain::{ClusterName, MigrationStatus, TrackedWorkload, WorkloadKey};
use crate::error::{Error, ErrorKind, Result};
use crate::migration::SecretMigration;

use super::workload::{FoundWorkload, find_workloads};

/// What a scan did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanReport {
    /// Workloads that use Vault.
    pub found: u64,
    /// New ones.
    pub created: u64,
    /// Known ones whose paths, labels or presence changed.
    pub changed: u64,
    /// Known ones that are gone.
    pub missing: u64,
    /// Mappings of namespaces that were synchronised.
    pub namespaces: u64,
    /// Objects that could not be understood.
    pub problems: Vec<String>,
}

impl SecretMigration {
    /// Scans the objects of one cluster: all of them, because what is not there counts as gone.
    ///
    /// # Errors
    /// `Invalid` for a wrong mapping; those of the account.
    pub async fn scan(
        &self,
        cluster: &ClusterName,
        objects: &[Value],
        default_mount: &str,
        by: &str,
    ) -> Result<ScanReport> {
        let found = find_workloads(objects, default_mount);
        let mut report = ScanReport { problems: found.problems, ..ScanReport::default() };
        self.register_cluster(cluster).await?;
        if !found.namespaces.is_empty() {
            report.namespaces = self.sync_namespaces(cluster, found.namespaces).await?;
        }
        let known = self.all_workloads(cluster).await?;
        let mut known: BTreeMap<String, TrackedWorkload> =
            known.into_iter().map(|workload| (workload.id.clone(), workload)).collect();
        for found in found.workloads {
            report.found += 1;
            let key = WorkloadKey {
                cluster: cluster.clone(),
                namespace: found.namespace.clone(),
                name: found.name.clone(),
            };
            match known.remove(&key.id()) {
                None => report.created += u64::from(self.discover(&key, found, by).await?),
                Some(known) => {
                    report.changed += u64::from(self.update_found(&known, &found, by).await?);
                }
            }
        }
        for gone in known.into_values() {
            report.missing += u64::from(self.mark_missing(&gone, by).await?);
        }
        Ok(report)
    }

    async fn discover(&self, key: &WorkloadKey, found: FoundWorkload, by: &str) -> Result<bool> {
        let now = self.core.now();
        let mut workload =
            TrackedWorkload::discovered(key, Some(found.kind), found.secrets, by, now);
        workload.labels = found.labels;
        self.core.create_workload(&workload).await
    }

    /// Takes over new paths, labels and kind. The references of a workload in progress or migrated stay: they say what
    /// was copied; the drift check and the next migration find what is new.
    async fn update_found(
        &self,
        known: &TrackedWorkload,
        found: &FoundWorkload,
        by: &str,
    ) -> Result<bool> {
        let may_change_paths = matches!(
            known.migration_status,
            MigrationStatus::Pending | MigrationStatus::RolledBack
        );
        let has_new_paths = may_change_paths && !known.hashi_secrets.has_paths_of(&found.secrets);
        let is_same = !has_new_paths
            && !known.missing
            && known.labels == found.labels
            && known.workload_kind == Some(found.kind);
        if is_same {
            return Ok(false);
        }
        self.write_scanned(known, by, |workload| {
            if has_new_paths {
                workload.hashi_secrets = found.secrets.clone();
            }
            workload.labels = found.labels.clone();
            workload.workload_kind = Some(found.kind);
            workload.missing = false;
        })
        .await
    }

    async fn mark_missing(&self, known: &TrackedWorkload, by: &str) -> Result<bool> {
        if known.missing {
            return Ok(false);
        }
        self.write_scanned(known, by, |workload| workload.missing = true).await
    }

    /// Writes what a scan changed, unless a worker or an operator wrote meanwhile: the next scan does it then.
    async fn write_scanned(
        &self,
        known: &TrackedWorkload,
        by: &str,
        change: impl Fn(&mut TrackedWorkload),
    ) -> Result<bool> {
        let mut stored = self.core.read_workload(&known.key()).await?;
        let mut workload = stored.workload().clone();
        if workload.last_change.number != known.last_change.number {
            return Ok(false);
        }
        change(&mut workload);
        let now = self.core.now();
        if !workload.missing {
            workload.last_seen_at = Some(now);
        }
        workload.record_change("scan", by, now);
        match self.core.save(&mut stored, workload).await {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Changed => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Synchronises the mappings of all namespaces in a folder of manifests, without scanning workloads.
    ///
    /// # Errors
    /// `Invalid` with the file that cannot be read; those of the account.
    pub async fn sync_folder(&self, folder: &std::path::Path) -> Result<u64> {
        let mut count = 0;
        for (cluster, path) in super::folder::clusters_in(folder)? {
            let found = find_workloads(&read_objects(path).await?, "");
            count += self.sync_namespaces(&cluster, found.namespaces).await?;
        }
        Ok(count)
    }

    /// Scans the manifests of one cluster in the folder of the settings.
    ///
    /// # Errors
    /// `Invalid` if there is no folder, it has no such cluster, or a file of it cannot be read; those of the account.
    pub async fn scan_configured(&self, cluster: &ClusterName, by: &str) -> Result<ScanReport> {
        let settings = &self.core.settings;
        if settings.manifest_folder.is_empty() {
            return Err(Error::invalid("there is no Migration:ManifestFolder to scan"));
        }
        let folder = std::path::Path::new(&settings.manifest_folder).join(cluster.as_str());
        let objects = read_objects(folder).await?;
        self.scan(cluster, &objects, &settings.default_mount, by).await
    }

    /// Scans a folder that has one folder of manifests for each cluster.
    ///
    /// # Errors
    /// `Invalid` with the file that cannot be read, before anything of its cluster is written; those of the account.
    pub async fn scan_folder(
        &self,
        folder: &std::path::Path,
        default_mount: &str,
        by: &str,
    ) -> Result<BTreeMap<ClusterName, ScanReport>> {
        let mut reports = BTreeMap::new();
        for (cluster, path) in super::folder::clusters_in(folder)? {
            let objects = read_objects(path).await?;
            let report = self.scan(&cluster, &objects, default_mount, by).await?;
            reports.insert(cluster, report);
        }
        Ok(reports)
    }
}

/// Reads a folder on a thread that may block.
async fn read_objects(path: std::path::PathBuf) -> Result<Vec<Value>> {
    let read = tokio::task::spawn_blocking(move || super::folder::read_folder(&path)).await;
    read.map_err(|_| Error::internal("reading a folder was aborted"))?
}
