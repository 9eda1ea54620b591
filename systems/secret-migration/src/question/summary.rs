//! Counts of a cluster, the plan of a run, and the checker of the state machine.

use std::collections::BTreeMap;
use std::time::Duration;

use client::Query;
use serde::{Deserialize, Serialize};

use crate::domain::{
    ClusterName, MigrationStatus, NamespaceMapping, SecretBackend, TrackedWorkload, UtcTimestamp,
};
use crate::error::Result;
use crate::migration::SecretMigration;

/// Counts of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterSummary {
    /// The cluster.
    pub cluster: String,
    /// Workloads by status, without those that are missing for long.
    pub by_status: BTreeMap<String, u64>,
    /// The same by namespace.
    pub by_namespace: BTreeMap<String, BTreeMap<String, u64>>,
    /// The same by wave.
    pub by_wave: BTreeMap<String, BTreeMap<String, u64>>,
    /// Pending ones that are held after their attempts.
    pub held: u64,
    /// Those that the last scan did not find.
    pub missing: u64,
    /// Migrated ones whose source has changed since.
    pub drifted: u64,
    /// Migrations that ended in the last hour.
    pub migrated_last_hour: u64,
    /// Minutes until nothing is pending, at the rate of the last hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes_left: Option<u64>,
    /// How many were left at the ends of migrations, oldest first, up to fifty points.
    pub burn_down: Vec<BurnDownPoint>,
    /// Workloads with an error, newest first, up to a hundred.
    pub errors: Vec<WorkloadErrorRow>,
}

/// How many workloads were left at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BurnDownPoint {
    /// When.
    #[schema(value_type = String)]
    pub at: UtcTimestamp,
    /// How many were not migrated yet.
    pub left: u64,
}

/// A workload with an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadErrorRow {
    /// Its id.
    pub id: String,
    /// The error of its last attempt.
    pub error: String,
    /// Its attempts.
    pub attempts: u32,
    /// Whether it is held.
    pub held: bool,
    #[serde(skip)]
    updated_at: UtcTimestamp,
}

/// What a run would do. Nothing is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MigrationPlan {
    /// The cluster.
    pub cluster: String,
    /// Workloads that would be migrated.
    pub ready: u64,
    /// Paths that would be copied.
    pub paths: u64,
    /// Workloads that are held or paused.
    pub held: u64,
    /// Workloads of a protected cluster that are in no approved wave; a run would leave them out.
    pub unapproved: u64,
    /// Namespaces without a mapping, with the number of their pending workloads.
    pub missing_mappings: BTreeMap<String, u64>,
    /// Paths on the target that two source paths would be written to.
    pub conflicts: Vec<String>,
    /// The mappings of the cluster are stale; a run would refuse to start.
    pub is_stale: bool,
}

/// Something that must not be in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckFinding {
    /// The document.
    pub id: String,
    /// What is wrong.
    pub problem: String,
}

/// What the summary needs of a workload.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SummaryRow {
    id: String,
    namespace: String,
    migration_status: MigrationStatus,
    wave: Option<String>,
    #[serde(default)]
    paused: bool,
    #[serde(default)]
    missing: bool,
    last_seen_at: Option<UtcTimestamp>,
    #[serde(default)]
    is_drifted: bool,
    migrated_at: Option<UtcTimestamp>,
    last_error: Option<String>,
    #[serde(default)]
    attempts: u32,
    updated_at: UtcTimestamp,
}

const ERRORS_MAX: usize = 100;
const POINTS_MAX: usize = 50;

impl SecretMigration {
    /// Counts of a cluster. It reads every workload of the cluster, in small projections.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn summary(&self, cluster: &ClusterName) -> Result<ClusterSummary> {
        let query = Query::text(
            "SELECT c.id, c.namespace, c.migrationStatus, c.wave, c.paused, c.missing, c.lastSeenAt, \
             IS_DEFINED(c.drift) AS isDrifted, c.migratedAt, c.lastError, c.attempts, c.updatedAt FROM c",
        );
        let query = query.within(cluster.partition_key());
        let rows: Vec<SummaryRow> = self.core.containers.workloads.query(&query).await?.value;
        let now = self.core.now();
        let long_missing = Duration::from_secs(self.core.settings.missing_days * 86_400);
        let mut summary =
            ClusterSummary { cluster: cluster.to_string(), ..ClusterSummary::default() };
        let mut ends = Vec::new();
        for row in rows {
            let is_gone =
                row.missing && row.last_seen_at.is_none_or(|at| now.since(at) > long_missing);
            summary.missing += u64::from(row.missing);
            if !is_gone {
                let is_migrated = row.migration_status == MigrationStatus::Migrated;
                ends.extend(row.migrated_at.filter(|_| is_migrated));
                summary.add(row, now);
            }
        }
        summary.errors.sort_by_key(|row| std::cmp::Reverse(row.updated_at));
        summary.errors.truncate(ERRORS_MAX);
        summary.burn_down = burn_down(ends, summary.by_status.values().sum());
        let pending = summary.by_status.get(MigrationStatus::Pending.name()).copied().unwrap_or(0);
        let rate = summary.migrated_last_hour;
        summary.minutes_left = (rate > 0).then(|| (pending * 60).div_ceil(rate));
        Ok(summary)
    }

    /// What a run on this cluster would do.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn plan(&self, cluster: &ClusterName) -> Result<MigrationPlan> {
        let mut plan = MigrationPlan { cluster: cluster.to_string(), ..MigrationPlan::default() };
        plan.is_stale = self.stale_mapping(cluster).await?.is_some();
        let mappings = self.mappings(cluster).await?;
        let mappings: BTreeMap<_, _> =
            mappings.into_iter().map(|mapping| (mapping.namespace.clone(), mapping)).collect();
        let waves =
            if self.core.settings.protects(cluster) { self.waves().await? } else { Vec::new() };
        let mut written: BTreeMap<String, String> = BTreeMap::new();
        for workload in self.all_workloads(cluster).await? {
            if workload.migration_status != MigrationStatus::Pending || workload.missing {
                continue;
            }
            if workload.paused {
                plan.held += 1;
                continue;
            }
            let wave = waves.iter().find(|wave| workload.wave.as_ref() == Some(&wave.id));
            if !self.core.settings.allows(cluster, wave) {
                plan.unapproved += 1;
                continue;
            }
            match mappings.get(&workload.namespace) {
                Some(mapping) => plan.add(&workload, mapping, &mut written),
                None => {
                    *plan.missing_mappings.entry(workload.namespace.to_string()).or_default() += 1;
                }
            }
        }
        Ok(plan)
    }

    /// Walks the workloads of a cluster and finds what must not be: illegal pairs, claims that do not fit the status,
    /// ids that do not fit the names, documents that cannot be read.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn check(&self, cluster: &ClusterName) -> Result<Vec<CheckFinding>> {
        let mut findings = Vec::new();
        let query = Query::text("SELECT * FROM c").within(cluster.partition_key());
        let rows = self.core.containers.workloads.query::<serde_json::Value>(&query).await?.value;
        for row in rows {
            let id = row.get("id").and_then(|id| id.as_str()).unwrap_or("?").to_owned();
            let problems = match serde_json::from_value::<TrackedWorkload>(row) {
                Ok(workload) => broken_rules(&workload),
                Err(error) => vec![format!("it cannot be read: {error}")],
            };
            findings.extend(
                problems.into_iter().map(|problem| CheckFinding { id: id.clone(), problem }),
            );
        }
        Ok(findings)
    }
}

/// What was left after each end of a migration, thinned out to as many points as a plot shows.
fn burn_down(mut ends: Vec<UtcTimestamp>, total: u64) -> Vec<BurnDownPoint> {
    ends.sort();
    let Some(first) = ends.first().copied() else { return Vec::new() };
    let step = ends.len().div_ceil(POINTS_MAX - 2).max(1);
    let begin = BurnDownPoint { at: first.before(Duration::from_secs(1)), left: total };
    let last = ends.len() - 1;
    let after = ends.iter().enumerate().filter(|(index, _)| index % step == 0 || *index == last);
    let after = after.map(|(index, at)| {
        let done = u64::try_from(index + 1).unwrap_or(u64::MAX);
        BurnDownPoint { at: *at, left: total.saturating_sub(done) }
    });
    std::iter::once(begin).chain(after).collect()
}

fn broken_rules(workload: &TrackedWorkload) -> Vec<String> {
    let mut problems = Vec::new();
    let (status, backend) = (workload.migration_status, workload.secret_backend);
    if !status.allows_backend(backend) {
        problems.push(format!("{status} on {backend} is no legal pair"));
    }
    if workload.id != workload.key().id() {
        problems.push(format!("its names give the id {}", workload.key().id()));
    }
    let is_claimed = workload.claimed_by.is_some() && workload.claim_until.is_some();
    if is_claimed != (status == MigrationStatus::InProgress) {
        problems.push(format!("{status} and its claim do not fit"));
    }
    if backend == SecretBackend::Smp && workload.smp_secrets.is_none() {
        problems.push("it is switched, but has no paths there".to_owned());
    }
    problems
}

impl ClusterSummary {
    fn add(&mut self, row: SummaryRow, now: UtcTimestamp) {
        let status = row.migration_status.name();
        let count = |counts: &mut BTreeMap<String, u64>| {
            *counts.entry(status.to_owned()).or_default() += 1;
        };
        count(&mut self.by_status);
        count(self.by_namespace.entry(row.namespace).or_default());
        if let Some(wave) = row.wave {
            count(self.by_wave.entry(wave).or_default());
        }
        let held = row.paused && row.migration_status == MigrationStatus::Pending;
        self.held += u64::from(held);
        self.drifted += u64::from(row.is_drifted);
        let is_recent = |at: UtcTimestamp| now.since(at) <= Duration::from_secs(3_600);
        let is_migrated = row.migration_status == MigrationStatus::Migrated;
        self.migrated_last_hour += u64::from(is_migrated && row.migrated_at.is_some_and(is_recent));
        if let Some(error) = row.last_error {
            let (id, attempts, updated_at) = (row.id, row.attempts, row.updated_at);
            self.errors.push(WorkloadErrorRow { id, error, attempts, held, updated_at });
        }
    }
}

impl MigrationPlan {
    fn add(
        &mut self,
        workload: &TrackedWorkload,
        mapping: &NamespaceMapping,
        written: &mut BTreeMap<String, String>,
    ) {
        self.ready += 1;
        let secrets = &workload.hashi_secrets;
        for item in &secrets.items {
            self.paths += 1;
            let source = format!("{}/{}", secrets.mount_of(item), item.path);
            let target = mapping.target_path(secrets.mount_of(item), &item.path);
            // The same source for two workloads of a namespace is one copy, not a conflict.
            match written.insert(target.clone(), source.clone()) {
                Some(other) if other != source => self.conflicts.push(target),
                _ => {}
            }
        }
    }
}
