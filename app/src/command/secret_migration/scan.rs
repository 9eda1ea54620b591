//! Scans manifests, or a cluster by its Kubernetes interface.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use secret_migration::{ClusterName, KubernetesApi, ScanReport};
use serde_json::json;

use super::open::{OpenTracker, TrackerFlags, cluster_name, tracker_error};
use crate::account_location::MissingStore;
use crate::error::CommandError;
use crate::output::line;

const ACTION: &str = "scanning";

/// Find workloads that use Vault, in folders of manifests or by the interface of a cluster
#[derive(Debug, Args)]
pub(super) struct ScanCommand {
    /// Folder with one folder of manifests for each cluster; Migration:ManifestFolder by default
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Only this cluster
    #[arg(long, value_name = "CLUSTER", value_parser = cluster_name)]
    cluster: Option<ClusterName>,

    /// Ask the interface of Kubernetes that the settings group Kubernetes names, instead of reading a folder
    #[arg(long, conflicts_with_all = ["folder", "cluster"])]
    kubernetes: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tracker: TrackerFlags,
}

impl ScanCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.tracker.open_or(MissingStore::Create).await?;
        let done = self.scan(&opened).await;
        opened.close(done).await
    }

    async fn scan(&self, opened: &OpenTracker) -> Result<ExitCode, CommandError> {
        let reports = self.reports(opened).await?;
        let mut has_problems = false;
        for (cluster, report) in &reports {
            has_problems |= !report.problems.is_empty();
            self.print(cluster, report)?;
        }
        Ok(if has_problems { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }

    async fn reports(
        &self,
        opened: &OpenTracker,
    ) -> Result<BTreeMap<ClusterName, ScanReport>, CommandError> {
        let system = &opened.system;
        let failed = |error| tracker_error(ACTION, &error);
        if self.kubernetes {
            let settings = opened.settings.kubernetes.clone();
            let api = KubernetesApi::open(settings).map_err(failed)?;
            let report = system.scan_kubernetes(&api, "command line").await.map_err(failed)?;
            return Ok([(api.cluster().clone(), report)].into());
        }
        let settings = system.settings();
        let folder = self.folder.clone().unwrap_or_else(|| settings.manifest_folder.clone().into());
        if folder.as_os_str().is_empty() {
            return Err(CommandError::new(ACTION, "no folder is given")
                .hint("Give --folder, or set Migration:ManifestFolder"));
        }
        let mount = &settings.default_mount;
        match &self.cluster {
            None => system.scan_folder(&folder, mount, "command line").await.map_err(failed),
            Some(cluster) => {
                let objects = secret_migration::read_folder(&folder.join(cluster.as_str()));
                let objects = objects.map_err(failed)?;
                let report = system.scan(cluster, &objects, mount, "command line").await;
                Ok([(cluster.clone(), report.map_err(failed)?)].into())
            }
        }
    }

    fn print(&self, cluster: &ClusterName, report: &ScanReport) -> Result<(), CommandError> {
        if self.json {
            return line(json!({ "cluster": cluster, "report": report }));
        }
        let ScanReport { found, created, changed, missing, namespaces, problems } = report;
        line(format_args!(
            "{cluster}: {found} workloads ({created} new, {changed} changed, {missing} gone), {namespaces} namespaces"
        ))?;
        problems.iter().try_for_each(|problem| line(format_args!("  {problem}")))
    }
}
