//! Who did what: the documents of `migration_audit`, which are only ever created.
//!
//! Owns their stored form and their ids. An id follows from what happened, so that writing an entry again after a crash
//! makes no second one.

use serde::{Deserialize, Serialize};
use service::work::UtcTimestamp;

use super::name::ClusterName;
use super::workload::TrackedWorkload;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// The workload, the number of its change, and the step if it is one; or the subject of another action and its
    /// time.
    pub id: String,
    /// The cluster, the partition key.
    #[schema(value_type = String)]
    pub cluster: ClusterName,
    /// `namespace/workload`; `wave:name` or `namespace:name` for an action on one of those.
    pub workload: String,
    /// When.
    #[schema(value_type = String)]
    pub at: UtcTimestamp,
    /// Who: a person or a worker.
    pub by: String,
    /// What.
    pub action: String,
    /// The status afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The backend afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// More, without values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl AuditEntry {
    /// The name of a workload in the audit.
    #[must_use]
    pub fn subject(workload: &TrackedWorkload) -> String {
        format!("{}/{}", workload.namespace, workload.workload_name)
    }

    /// The id of the entry of a change.
    #[must_use]
    pub fn change_id(workload: &TrackedWorkload) -> String {
        format!("{}:{:08}", workload.id, workload.last_change.number)
    }

    /// The entry of the last change of a workload.
    #[must_use]
    pub fn of_change(workload: &TrackedWorkload) -> Self {
        let change = &workload.last_change;
        let detail = match change.action.as_str() {
            "fail" | "fail and hold" | "lose lease" => workload.last_error.clone(),
            "roll back" => workload.reason.clone(),
            _ => None,
        };
        Self {
            id: Self::change_id(workload),
            cluster: workload.cluster.clone(),
            workload: Self::subject(workload),
            at: change.at,
            by: change.by.clone(),
            action: change.action.clone(),
            status: Some(workload.migration_status.name().to_owned()),
            backend: Some(workload.secret_backend.name().to_owned()),
            detail,
        }
    }

    /// The entry of a step that a worker made between two changes.
    #[must_use]
    pub fn of_step(
        workload: &TrackedWorkload,
        (number, step): (usize, &str),
        detail: String,
        now: UtcTimestamp,
    ) -> Self {
        Self {
            // The number keeps steps of one millisecond in their order.
            id: format!("{}.{number:02}-{step}", Self::change_id(workload)),
            cluster: workload.cluster.clone(),
            workload: Self::subject(workload),
            at: now,
            by: workload.claimed_by.clone().unwrap_or_default(),
            action: step.to_owned(),
            status: None,
            backend: None,
            detail: Some(detail),
        }
    }

    /// The entry of something that was done to a wave or a mapping: `wave:first`, `namespace:shop`. Unlike those of
    /// workloads, its id does not follow from what happened; the number keeps entries of one moment apart.
    #[must_use]
    pub fn of_action(
        cluster: &ClusterName,
        subject: String,
        (action, by): (&str, &str),
        now: UtcTimestamp,
        number: u64,
    ) -> Self {
        Self {
            id: format!("{subject}:{}:{number:016x}", now.ms()),
            cluster: cluster.clone(),
            workload: subject,
            at: now,
            by: by.to_owned(),
            action: action.to_owned(),
            status: None,
            backend: None,
            detail: None,
        }
    }
}
