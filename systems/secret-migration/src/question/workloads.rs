//! Workloads of a cluster: the pending list of the workers, and pages for people.

use client::{Query, QueryPageOptions};
use serde::Deserialize;

use crate::domain::{
    AuditEntry, ClusterName, MigrationStatus, NamespaceName, SecretBackend, TrackedWorkload,
    UtcTimestamp, WorkloadKey, WorkloadName,
};
use crate::error::{Error, Result};
use crate::migration::SecretMigration;

/// A page, with its charge.
#[derive(Clone, Debug)]
pub struct TrackerPage<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Asks for the next page.
    pub continuation: Option<String>,
    /// Request units.
    pub charge: f64,
}

/// A pending workload, as little as a worker needs to decide.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingWorkload {
    /// Its cluster.
    pub cluster: ClusterName,
    /// Its namespace.
    pub namespace: NamespaceName,
    /// Its name.
    pub workload_name: WorkloadName,
    /// Its wave.
    pub wave: Option<String>,
    /// Somebody asked for its migration.
    #[serde(default)]
    pub requested: bool,
    /// It is left out.
    #[serde(default)]
    pub paused: bool,
    /// The last scan did not find it.
    #[serde(default)]
    pub missing: bool,
    /// It is not claimed before this time.
    pub next_attempt_at: Option<UtcTimestamp>,
}

/// Which workloads to list.
#[derive(Clone, Debug, Default)]
pub struct WorkloadFilter {
    /// Of this status.
    pub status: Option<MigrationStatus>,
    /// Of this namespace.
    pub namespace: Option<NamespaceName>,
    /// On this backend.
    pub backend: Option<SecretBackend>,
    /// Per page.
    pub limit: Option<usize>,
    /// After this page.
    pub continuation: Option<String>,
}

/// The largest page.
pub(crate) const PAGE_ROWS_MAX: usize = 1_000;

impl PendingWorkload {
    /// Its names.
    #[must_use]
    pub fn key(&self) -> WorkloadKey {
        WorkloadKey {
            cluster: self.cluster.clone(),
            namespace: self.namespace.clone(),
            name: self.workload_name.clone(),
        }
    }

    /// Whether its time has come.
    #[must_use]
    pub fn is_due(&self, now: UtcTimestamp) -> bool {
        !self.paused && !self.missing && self.next_attempt_at.is_none_or(|at| at <= now)
    }
}

impl SecretMigration {
    /// A workload.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn workload(
        &self,
        key: &WorkloadKey,
    ) -> Result<(TrackedWorkload, Option<client::EntityTag>)> {
        let stored = self.core.read_workload(key).await?;
        let etag = stored.item.etag();
        Ok((stored.item.into_value(), etag))
    }

    /// A page of the pending workloads of a cluster, from one partition.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn pending(
        &self,
        cluster: &ClusterName,
        continuation: Option<String>,
    ) -> Result<TrackerPage<PendingWorkload>> {
        let query = Query::text(
            "SELECT c.cluster, c.namespace, c.workloadName, c.wave, c.requested, c.paused, c.missing, c.nextAttemptAt \
             FROM c WHERE c.cluster = @cluster AND c.migrationStatus = 'PENDING'",
        )
        .parameter("@cluster", cluster.as_str())
        .within(cluster.partition_key());
        self.page(&query, Some(self.core.settings.batch_size), continuation).await
    }

    /// Workloads that a worker has claimed, so that lost ones are found.
    pub(crate) async fn in_progress(&self, cluster: &ClusterName) -> Result<Vec<TrackedWorkload>> {
        let query = Query::text("SELECT * FROM c WHERE c.migrationStatus = 'IN-PROGRESS'")
            .within(cluster.partition_key());
        Ok(self.core.containers.workloads.query(&query).await?.value)
    }

    /// A page of the workloads of a cluster.
    ///
    /// # Errors
    /// `Invalid` for a continuation of another list; those of the account.
    pub async fn workloads(
        &self,
        cluster: &ClusterName,
        filter: &WorkloadFilter,
    ) -> Result<TrackerPage<TrackedWorkload>> {
        let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
        // One text for all filters: an empty parameter means no filter, and the engine drops the constant half.
        let query = Query::text(
            "SELECT * FROM c WHERE (@status = '' OR c.migrationStatus = @status) \
             AND (@namespace = '' OR c.namespace = @namespace) AND (@backend = '' OR c.secretBackend = @backend)",
        )
        .parameter("@status", text(filter.status.map(MigrationStatus::name)))
        .parameter("@namespace", text(filter.namespace.as_ref().map(NamespaceName::as_str)))
        .parameter("@backend", text(filter.backend.map(SecretBackend::name)))
        .within(cluster.partition_key());
        self.page(&query, filter.limit, filter.continuation.clone()).await
    }

    /// All workloads of a cluster, page by page.
    pub(crate) async fn all_workloads(
        &self,
        cluster: &ClusterName,
    ) -> Result<Vec<TrackedWorkload>> {
        let query = Query::text("SELECT * FROM c").within(cluster.partition_key());
        Ok(self.core.containers.workloads.query(&query).await?.value)
    }

    async fn page<T: serde::de::DeserializeOwned>(
        &self,
        query: &Query,
        limit: Option<usize>,
        continuation: Option<String>,
    ) -> Result<TrackerPage<T>> {
        let rows_max = Some(limit.unwrap_or(self.core.settings.batch_size).clamp(1, PAGE_ROWS_MAX));
        let options = QueryPageOptions { rows_max, continuation, session_token: None };
        let page = self.core.containers.workloads.query_page(query, options).await;
        let page = page.map_err(|error| match error.kind() {
            client::ErrorKind::BadRequest => {
                Error::invalid_field("cursor", "is not of this list; start without one")
            }
            _ => error.into(),
        })?;
        let (rows, continuation) = (page.value.rows, page.value.continuation);
        Ok(TrackerPage { rows, continuation, charge: page.charge })
    }

    /// The audit of a cluster, oldest first: of one workload (`namespace/name`) if given, and from a time on.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn audit(
        &self,
        cluster: &ClusterName,
        workload: Option<&str>,
        since: Option<UtcTimestamp>,
    ) -> Result<Vec<AuditEntry>> {
        let since = since.unwrap_or_default();
        let query = match workload {
            Some(workload) => Query::text(
                "SELECT * FROM c WHERE c.workload = @workload AND c.at >= @since ORDER BY c.at",
            )
            .parameter("@workload", workload),
            None => Query::text("SELECT TOP 1000 * FROM c WHERE c.at >= @since ORDER BY c.at"),
        };
        let query = query.parameter("@since", since).within(cluster.partition_key());
        let mut entries: Vec<AuditEntry> = self.core.containers.audit.query(&query).await?.value;
        // Entries of one moment are ordered by their ids, which count changes.
        entries.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        Ok(entries)
    }
}
