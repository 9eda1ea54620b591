//! Migrates the pending workloads of a cluster, in this command.

use std::process::ExitCode;

use clap::Args;
use secret_migration::{ClusterName, RoundReport, RunScope};
use serde_json::json;

use super::open::{TrackerFlags, cluster_name, tracker_error};
use crate::error::CommandError;
use crate::output::line;

/// Migrate the pending workloads of a cluster once, then end
#[derive(Debug, Args)]
pub(super) struct RunCommand {
    /// The cluster
    #[arg(value_parser = cluster_name)]
    cluster: ClusterName,

    /// Only those that somebody asked for, and those of running waves
    #[arg(long)]
    requested: bool,

    /// The name of this worker in claims and audit
    #[arg(long, value_name = "NAME", default_value = "command line")]
    worker: String,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl RunCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.tracker.open().await?;
        let scope = if self.requested { RunScope::Requested } else { RunScope::All };
        let report = opened.system.run_cluster(&self.cluster, scope, &self.worker).await;
        let report = report.map_err(|error| tracker_error("migrating", &error));
        let RoundReport { migrated, failed, rolled_back, recovered, charge } =
            opened.close(report).await?;
        let is_done = failed.is_empty() && rolled_back.is_empty();
        line(json!({
            "migrated": migrated, "failed": failed, "rolledBack": rolled_back,
            "recovered": recovered, "requestCharge": charge,
        }))?;
        Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}
