//! A workload: the document of `migration_metadata`.
//!
//! Owns the stored form. Does not own its changes (`transition`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use service::work::UtcTimestamp;

use super::name::{ClusterName, NamespaceName, WorkloadKey, WorkloadName};
use super::reference::{HashiSecrets, SmpSecrets};
use super::status::{MigrationStatus, SecretBackend};

/// A workload and its migration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrackedWorkload {
    /// `cluster:namespace:workloadName`.
    pub id: String,
    /// Its cluster, the partition key.
    #[schema(value_type = String)]
    pub cluster: ClusterName,
    /// Its namespace.
    #[schema(value_type = String)]
    pub namespace: NamespaceName,
    /// Its name.
    #[schema(value_type = String)]
    pub workload_name: WorkloadName,
    /// What it is in Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_kind: Option<WorkloadKind>,
    /// Where it is in its migration.
    #[schema(value_type = String)]
    pub migration_status: MigrationStatus,
    /// Where it gets its secrets from.
    #[schema(value_type = String)]
    pub secret_backend: SecretBackend,
    /// Its secrets in Vault.
    pub hashi_secrets: HashiSecrets,
    /// Its secrets on the new platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smp_secrets: Option<SmpSecrets>,
    /// When it was first seen.
    #[schema(value_type = String)]
    pub created_at: UtcTimestamp,
    /// When it was last changed.
    #[schema(value_type = String)]
    pub updated_at: UtcTimestamp,
    /// When its migration ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub migrated_at: Option<UtcTimestamp>,
    /// When it was rolled back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub rolled_back_at: Option<UtcTimestamp>,
    /// Claims since it became pending.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// It is not claimed before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub next_attempt_at: Option<UtcTimestamp>,
    /// Why the last attempt failed. It never holds a value of a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// Why it was rolled back or is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The worker that has claimed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// When that claim ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub claim_until: Option<UtcTimestamp>,
    /// Somebody asked for its migration.
    #[serde(default, skip_serializing_if = "is_false")]
    pub requested: bool,
    /// The wave it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wave: Option<String>,
    /// Who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Labels for selectors.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// It is left out until somebody resumes it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// When a scan last changed or found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub last_seen_at: Option<UtcTimestamp>,
    /// The last scan did not find it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub missing: bool,
    /// The number of the change that switched it last. It names the switch for rollouts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch_change: Option<u64>,
    /// What differs since the copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftRecord>,
    /// The last change, which is also the newest entry of its audit.
    pub last_change: WorkloadChangeRecord,
}

/// What a workload is in Kubernetes.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
pub enum WorkloadKind {
    /// A deployment.
    Deployment,
    /// A stateful set.
    StatefulSet,
    /// A daemon set.
    DaemonSet,
    /// A cron job.
    CronJob,
    /// A job.
    Job,
}

/// A change of a workload. It is written together with the change, so it cannot be lost; its audit entry follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadChangeRecord {
    /// The number of the change, from 1.
    pub number: u64,
    /// When.
    #[schema(value_type = String)]
    pub at: UtcTimestamp,
    /// Who.
    pub by: String,
    /// What.
    pub action: String,
}

/// What differs between the source and the target since the copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftRecord {
    /// When it was found.
    #[schema(value_type = String)]
    pub found_at: UtcTimestamp,
    /// The paths in Vault that changed.
    pub paths: Vec<String>,
}

impl TrackedWorkload {
    /// A workload that a scan has found: pending, on Vault.
    #[must_use]
    pub fn discovered(
        key: &WorkloadKey,
        kind: Option<WorkloadKind>,
        hashi_secrets: HashiSecrets,
        by: &str,
        now: UtcTimestamp,
    ) -> Self {
        let action = "discover".to_owned();
        Self {
            id: key.id(),
            cluster: key.cluster.clone(),
            namespace: key.namespace.clone(),
            workload_name: key.name.clone(),
            workload_kind: kind,
            migration_status: MigrationStatus::Pending,
            secret_backend: SecretBackend::Hashi,
            hashi_secrets,
            smp_secrets: None,
            created_at: now,
            updated_at: now,
            migrated_at: None,
            rolled_back_at: None,
            attempts: 0,
            next_attempt_at: None,
            last_error: None,
            reason: None,
            claimed_by: None,
            claim_until: None,
            requested: false,
            wave: None,
            owner: None,
            labels: BTreeMap::new(),
            paused: false,
            last_seen_at: Some(now),
            missing: false,
            switch_change: None,
            drift: None,
            last_change: WorkloadChangeRecord { number: 1, at: now, by: by.to_owned(), action },
        }
    }

    /// Its names.
    #[must_use]
    pub fn key(&self) -> WorkloadKey {
        WorkloadKey {
            cluster: self.cluster.clone(),
            namespace: self.namespace.clone(),
            name: self.workload_name.clone(),
        }
    }

    /// Whether its claim has ended without a result.
    #[must_use]
    pub fn has_lost_worker(&self, now: UtcTimestamp) -> bool {
        self.migration_status == MigrationStatus::InProgress
            && self.claim_until.is_none_or(|until| until <= now)
    }
}

impl WorkloadKind {
    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Deployment, Self::StatefulSet, Self::DaemonSet, Self::CronJob, Self::Job]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Its name in a manifest.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Deployment => "Deployment",
            Self::StatefulSet => "StatefulSet",
            Self::DaemonSet => "DaemonSet",
            Self::CronJob => "CronJob",
            Self::Job => "Job",
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}
