//! A wave: workloads that are migrated together, with a rate and a stop rule.
//!
//! Owns the stored form of `migration_waves` and the rules that need nothing else: approval, the stop rule, the next
//! free slot of its rate.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::work::UtcTimestamp;

use super::name::{ClusterName, NamespaceName};
use super::workload::TrackedWorkload;

/// Failures that a wave names; more are only counted.
const FAILURES_LISTED_MAX: usize = 200;

/// A wave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wave {
    /// Its name.
    pub id: String,
    /// Which workloads belong to it.
    pub selector: WaveSelector,
    /// Where it is.
    pub status: WaveStatus,
    /// Workloads started per minute at most, by all processes together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
    /// The wave stops when more than this share of its workloads has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at_error_ratio: Option<f64>,
    /// Whether somebody else must approve it before it starts.
    #[serde(default)]
    pub needs_approval: bool,
    /// Who created it.
    pub created_by: String,
    /// When.
    #[schema(value_type = String)]
    pub created_at: UtcTimestamp,
    /// Who approved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// How many workloads belong to it.
    #[serde(default)]
    pub total: u64,
    /// The workloads whose last attempt failed, with the error.
    #[serde(default)]
    pub failures: BTreeMap<String, String>,
    /// When its next workload may start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub next_start_at: Option<UtcTimestamp>,
    /// Why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Which workloads belong to a wave. Every condition must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaveSelector {
    /// The cluster.
    #[schema(value_type = String)]
    pub cluster: ClusterName,
    /// One of these namespaces; any if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub namespaces: Vec<NamespaceName>,
    /// All of these labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// Where a wave is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum WaveStatus {
    /// Its workloads are known; nothing has started.
    Planned,
    /// Its workloads are being migrated.
    Running,
    /// Somebody has paused it.
    Paused,
    /// Its stop rule has stopped it.
    Stopped,
    /// Nothing of it is left to do.
    Finished,
    /// Somebody has rolled it back.
    RolledBack,
}

impl WaveSelector {
    /// Whether a workload belongs to it.
    #[must_use]
    pub fn matches(&self, workload: &TrackedWorkload) -> bool {
        self.cluster == workload.cluster
            && (self.namespaces.is_empty() || self.namespaces.contains(&workload.namespace))
            && self.labels.iter().all(|(name, value)| workload.labels.get(name) == Some(value))
    }
}

impl Wave {
    /// Notes the result of an attempt, and stops the wave if its rule says so. Returns whether anything changed. Noting
    /// the same result twice changes nothing, so a worker that crashed after it may be followed by one that repeats it.
    pub fn note_result(&mut self, workload: &str, error: Option<&str>) -> bool {
        let before = self.failures.get(workload).cloned();
        match error {
            None => {
                self.failures.remove(workload);
            }
            Some(error) if self.failures.len() < FAILURES_LISTED_MAX || before.is_some() => {
                self.failures.insert(workload.to_owned(), error.to_owned());
            }
            Some(_) => {}
        }
        let failed = self.failures.len() as f64;
        let limit = self.stop_at_error_ratio.map(|ratio| ratio * self.total as f64);
        let must_stop =
            self.status == WaveStatus::Running && limit.is_some_and(|most| failed > most);
        if must_stop {
            self.status = WaveStatus::Stopped;
            let failed = self.failures.len();
            self.reason = Some(format!("{failed} of {} workloads failed", self.total));
        }
        must_stop || before.as_deref() != error
    }

    /// Takes the next free slot of the rate; `None` if there is no rate.
    pub fn take_slot(&mut self, now: UtcTimestamp) -> Option<UtcTimestamp> {
        let rate = self.rate_per_minute.filter(|rate| *rate > 0)?;
        let slot = self.next_start_at.map_or(now, |next| next.max(now));
        self.next_start_at = Some(slot.after(Duration::from_millis(60_000 / u64::from(rate))));
        Some(slot)
    }

    /// Whether it may start: approved by somebody other than its creator, if that is needed.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        !self.needs_approval || self.approved_by.as_ref().is_some_and(|by| *by != self.created_by)
    }
}
