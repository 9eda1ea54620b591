//! One run: at each size our side, then PostgreSQL.

use std::time::Duration;

use model::ChargeProfile;

use super::report::SecretsReport;
use super::side::SizeResult;
use super::{ours, peer, system};
use crate::meter::wait_until_idle;
use crate::{Result, progress};

/// How long the source of secrets takes for one request.
pub(super) const SOURCE: Duration = Duration::from_millis(5);
/// Paths of a workload.
pub(super) const PATHS: usize = 3;
/// Steps of a migration that only the audit keeps.
pub(super) const STEPS: usize = 6;
/// Workloads of a cluster at least: one page of the pending list, and as many again.
const WORKLOADS_MIN: usize = 200;

/// What to run.
#[derive(Clone, Debug)]
pub struct SecretsOptions {
    /// The sizes, one after another.
    pub sizes: Vec<SecretsSize>,
    /// Workers of each cluster.
    pub workers: usize,
    /// Whether PostgreSQL is measured too, if it is installed.
    pub with_peer: bool,
    /// What else the page says about the run.
    pub note: String,
}

/// Clusters and their workloads, written as `20x5000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretsSize {
    /// Clusters.
    pub clusters: usize,
    /// Workloads of each.
    pub workloads: usize,
}

/// The sizes that the requirement names.
pub(super) const FULL: [SecretsSize; 2] = [
    SecretsSize { clusters: 1, workloads: 10_000 },
    SecretsSize { clusters: 20, workloads: 5_000 },
];

impl SecretsSize {
    /// All workloads.
    #[must_use]
    pub fn total(self) -> usize {
        self.clusters * self.workloads
    }
}

impl std::fmt::Display for SecretsSize {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}x{}", self.clusters, self.workloads)
    }
}

impl std::str::FromStr for SecretsSize {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || format!("'{text}' is no size; write clusters x workloads, as in 20x5000");
        let (clusters, workloads) = text.split_once('x').ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let size = Self { clusters: number(clusters)?, workloads: number(workloads)? };
        if size.clusters == 0 || size.workloads < WORKLOADS_MIN {
            return Err(format!("{size}: at least 1 cluster with {WORKLOADS_MIN} workloads"));
        }
        Ok(size)
    }
}

/// Runs the load benchmark of the tracker.
///
/// # Errors
/// Whatever went wrong, also when not every workload was migrated.
pub fn run_secrets(options: &SecretsOptions) -> Result<SecretsReport> {
    if options.sizes.is_empty() || options.workers == 0 {
        return Err("at least one size and one worker".into());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut results = Vec::new();
    for &size in &options.sizes {
        progress::step(&format!("planisphere: {size}"));
        let (ours, pending) = runtime.block_on(ours::run(size, options.workers))?;
        wait_until_idle()?;
        let peer = if options.with_peer {
            progress::step(&format!("PostgreSQL: {size}"));
            let measured = peer::run(size, options.workers)?;
            wait_until_idle()?;
            measured
        } else {
            Err("left out (--no-peers)".to_owned())
        };
        results.push(SizeResult { size, ours, pending, peer });
    }
    progress::step("planisphere: request units");
    let azure = runtime.block_on(system::charge_of_workload(ChargeProfile::Azure))?;
    let native = runtime.block_on(system::charge_of_workload(ChargeProfile::Native))?;
    Ok(SecretsReport {
        workers: options.workers,
        results,
        azure,
        native,
        note: options.note.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_clusters_and_workloads() {
        assert_eq!("20x5000".parse::<SecretsSize>().map(SecretsSize::total), Ok(100_000));
        for wrong in ["20", "x", "0x500", "1x10", "1x"] {
            assert!(wrong.parse::<SecretsSize>().is_err(), "{wrong}");
        }
    }
}
