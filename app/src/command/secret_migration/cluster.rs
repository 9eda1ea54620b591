//! Questions about a cluster: plan, status, verification, drift, export.

use std::process::ExitCode;

use clap::Args;
use secret_migration::{ClusterName, ClusterSummary};
use serde_json::json;

use super::open::{OpenTracker, TrackerFlags, cluster_name, tracker_error};
use crate::error::CommandError;
use crate::output::line;

/// Exit code if something differs.
const DIFFERS: u8 = 1;

/// Print what a run would do; nothing is changed
#[derive(Debug, Args)]
pub(super) struct PlanCommand {
    /// The cluster
    #[arg(value_parser = cluster_name)]
    cluster: ClusterName,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl PlanCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.tracker.open().await?;
        let planned = opened.system.plan(&self.cluster).await;
        let plan = opened.close(planned.map_err(|error| tracker_error("planning", &error))).await?;
        line(json!(plan))?;
        let is_ready =
            plan.missing_mappings.is_empty() && plan.conflicts.is_empty() && !plan.is_stale;
        Ok(if is_ready { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
    }
}

/// Print counts by status
#[derive(Debug, Args)]
pub(super) struct StatusCommand {
    /// Only this cluster
    #[arg(value_parser = cluster_name)]
    cluster: Option<ClusterName>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl StatusCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.tracker.open().await?;
        let summaries = self.summaries(&opened).await;
        for summary in opened.close(summaries).await? {
            self.print(&summary)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn summaries(&self, opened: &OpenTracker) -> Result<Vec<ClusterSummary>, CommandError> {
        let failed = |error| tracker_error("reading the status", &error);
        let clusters = match &self.cluster {
            Some(cluster) => vec![cluster.clone()],
            None => opened.system.clusters().await.map_err(failed)?,
        };
        let mut summaries = Vec::with_capacity(clusters.len());
        for cluster in clusters {
            summaries.push(opened.system.summary(&cluster).await.map_err(failed)?);
        }
        Ok(summaries)
    }

    fn print(&self, summary: &ClusterSummary) -> Result<(), CommandError> {
        if self.json {
            return line(json!(summary));
        }
        let counts = summary.by_status.iter().map(|(status, count)| format!("{status} {count}"));
        let counts: Vec<String> = counts.collect();
        let left = match summary.minutes_left {
            Some(minutes) => format!(", {minutes} minutes left"),
            None => String::new(),
        };
        line(format_args!(
            "{}: {}; {} held, {} drifted, {} missing{left}",
            summary.cluster,
            counts.join(", "),
            summary.held,
            summary.drifted,
            summary.missing
        ))?;
        summary.errors.iter().try_for_each(|row| {
            line(format_args!("  {} (attempt {}): {}", row.id, row.attempts, row.error))
        })
    }
}

/// Walk the store for illegal states, and compare the target with what was copied
#[derive(Debug, Args)]
pub(super) struct VerifyClusterCommand {
    /// The cluster
    #[arg(value_parser = cluster_name)]
    cluster: ClusterName,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl VerifyClusterCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.tracker.open().await?;
        let done = async {
            let findings = opened.system.check(&self.cluster).await?;
            let report = opened.system.verify(&self.cluster).await?;
            Ok::<_, secret_migration::Error>((findings, report))
        };
        let done = done.await.map_err(|error| tracker_error("verifying", &error));
        let (findings, report) = opened.close(done).await?;
        line(json!({ "findings": findings, "target": report }))?;
        let is_sound =
            findings.is_empty() && report.different.is_empty() && report.unknown.is_empty();
        Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
    }
}

/// Compare migrated workloads with their source
#[derive(Debug, Args)]
pub(super) struct DriftCommand {
    /// The cluster
    #[arg(value_parser = cluster_name)]
    cluster: ClusterName,

    /// Copy again what has changed
    #[arg(long)]
    resync: bool,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl DriftCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.tracker.open().await?;
        let report = opened.system.check_drift(&self.cluster, self.resync, "command line").await;
        let report = report.map_err(|error| tracker_error("comparing", &error));
        let report = opened.close(report).await?;
        line(json!(report))?;
        let is_synced = report.failed.is_empty() && report.drifted.len() == report.synced.len();
        Ok(if is_synced { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
    }
}

/// Print all workloads of a cluster as CSV
#[derive(Debug, Args)]
pub(super) struct ExportClusterCommand {
    /// The cluster
    #[arg(value_parser = cluster_name)]
    cluster: ClusterName,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl ExportClusterCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.tracker.open().await?;
        let rows = opened.system.export(&self.cluster).await;
        let rows = opened.close(rows.map_err(|error| tracker_error("exporting", &error))).await?;
        let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
        for row in rows {
            let written = writer.write_record(row);
            written.map_err(|error| CommandError::new("exporting", error.to_string()))?;
        }
        writer.flush().map_err(|error| CommandError::output(&error))?;
        Ok(ExitCode::SUCCESS)
    }
}
