//! Switches workloads back.

use std::process::ExitCode;

use clap::Args;
use secret_migration::{
    ClusterName, NamespaceName, RollbackOptions, RollbackReport, RollbackScope, WorkloadKey,
};
use serde_json::json;

use super::open::{OpenTracker, TrackerFlags, cluster_name, tracker_error};
use crate::error::CommandError;
use crate::output::line;

const ACTION: &str = "rolling back";

/// Switch a workload, a namespace, a wave or a cluster back to Vault
#[derive(Debug, Args)]
pub(super) struct RollbackCommand {
    /// The cluster
    #[arg(value_parser = cluster_name)]
    cluster: ClusterName,

    /// One workload, as namespace/name
    #[arg(long, value_name = "NAMESPACE/NAME", conflicts_with_all = ["namespace", "wave", "all"])]
    workload: Option<String>,

    /// All workloads of a namespace
    #[arg(long, value_name = "NAMESPACE", conflicts_with_all = ["wave", "all"])]
    namespace: Option<String>,

    /// All workloads of a wave
    #[arg(long, value_name = "WAVE", conflicts_with = "all")]
    wave: Option<String>,

    /// All workloads of the cluster
    #[arg(long)]
    all: bool,

    /// Why; is part of the audit
    #[arg(long, value_name = "TEXT")]
    reason: String,

    /// Do it; without this flag the command refuses to switch back more than one workload
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl RollbackCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        if self.workload.is_none() && !self.yes {
            let hint = "Give --yes, or one --workload NAMESPACE/NAME";
            return Err(CommandError::new(ACTION, "this may switch back many workloads").hint(hint));
        }
        let opened = self.tracker.open().await?;
        let report = self.roll_back(&opened).await;
        let report = opened.close(report).await?;
        let is_done = report.refused.is_empty();
        line(json!(report))?;
        Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    async fn roll_back(&self, opened: &OpenTracker) -> Result<RollbackReport, CommandError> {
        let failed = |error| tracker_error(ACTION, &error);
        let wrong = |why: String| CommandError::new(ACTION, why).hint("Correct the name");
        let system = &opened.system;
        let scope = match (&self.workload, &self.namespace, &self.wave) {
            (Some(workload), _, _) => {
                let (namespace, name) = workload.split_once('/').unwrap_or(("", workload));
                let key = WorkloadKey::parse(self.cluster.as_str(), namespace, name);
                let reason = Some(self.reason.clone());
                let options = RollbackOptions { reason, ..RollbackOptions::default() };
                let done = system.roll_back(&key.map_err(wrong)?, &options, "command line").await;
                let done = done.map_err(failed)?;
                let rolled_back = vec![done.workload.id];
                return Ok(RollbackReport { rolled_back, ..RollbackReport::default() });
            }
            (_, Some(namespace), _) => {
                RollbackScope::Namespace(NamespaceName::parse(namespace).map_err(wrong)?)
            }
            (_, _, Some(wave)) => RollbackScope::Wave(wave.clone()),
            _ if self.all => RollbackScope::Cluster,
            _ => {
                let why = "nothing is chosen".to_owned();
                return Err(wrong(why).hint("Give --workload, --namespace, --wave or --all"));
            }
        };
        let done = system.roll_back_all(&self.cluster, &scope, &self.reason, "command line").await;
        done.map_err(failed)
    }
}
