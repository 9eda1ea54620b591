//! Rollback of many workloads at once: a namespace, a wave, a cluster.

use futures::StreamExt as _;
use serde::Serialize;

use crate::domain::{ClusterName, MigrationStatus, NamespaceName, TrackedWorkload};
use crate::error::{ErrorKind, Result};
use crate::migration::SecretMigration;

use super::workload::RollbackOptions;

/// Which workloads of a cluster are switched back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RollbackScope {
    /// Those of a namespace.
    Namespace(NamespaceName),
    /// Those of a wave.
    Wave(String),
    /// All.
    Cluster,
}

/// What became of a rollback of many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollbackReport {
    /// Switched back now.
    pub rolled_back: Vec<String>,
    /// Not switched back, with the reason.
    pub refused: Vec<(String, String)>,
}

/// Rollbacks at the same time: enough to hide the latency of Vault, few enough not to flood it.
const AT_ONCE: usize = 16;
/// Another attempt for a workload that a worker has just written.
const ROUNDS: usize = 5;

impl SecretMigration {
    /// Switches back every switched workload of the scope. One that cannot be is reported and does not stop the others.
    ///
    /// # Errors
    /// Those of the account when the workloads are listed.
    pub async fn roll_back_all(
        &self,
        cluster: &ClusterName,
        scope: &RollbackScope,
        reason: &str,
        by: &str,
    ) -> Result<RollbackReport> {
        let affected = |workload: &TrackedWorkload| {
            let is_switched = matches!(
                workload.migration_status,
                MigrationStatus::Migrated | MigrationStatus::InProgress
            );
            is_switched
                && match scope {
                    RollbackScope::Namespace(namespace) => workload.namespace == *namespace,
                    RollbackScope::Wave(wave) => workload.wave.as_ref() == Some(wave),
                    RollbackScope::Cluster => true,
                }
        };
        let workloads = self.all_workloads(cluster).await?;
        let results = futures::stream::iter(workloads.into_iter().filter(affected))
            .map(|workload| self.roll_back_until_done(workload, reason, by))
            .buffer_unordered(AT_ONCE);
        let mut report = RollbackReport::default();
        for (id, result) in results.collect::<Vec<_>>().await {
            match result {
                Ok(()) => report.rolled_back.push(id),
                Err(why) => report.refused.push((id, why)),
            }
        }
        report.rolled_back.sort();
        report.refused.sort();
        Ok(report)
    }

    async fn roll_back_until_done(
        &self,
        workload: TrackedWorkload,
        reason: &str,
        by: &str,
    ) -> (String, std::result::Result<(), String>) {
        let options =
            RollbackOptions { reason: Some(reason.to_owned()), ..RollbackOptions::default() };
        for round in 1.. {
            match self.roll_back(&workload.key(), &options, by).await {
                Ok(_) => return (workload.id, Ok(())),
                Err(error) if error.kind() == ErrorKind::Changed && round < ROUNDS => {}
                Err(error) => return (workload.id, Err(error.to_string())),
            }
        }
        (workload.id, Err("a worker writes it again and again".to_owned()))
    }
}
