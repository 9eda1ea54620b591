//! One run: our side, then PostgreSQL.

use std::time::Duration;

use super::report::SecretsReport;
use super::{ours, peer};
use crate::meter::wait_until_idle;
use crate::{Result, progress};

/// How long the source of secrets takes for one path.
pub(super) const SOURCE: Duration = Duration::from_millis(5);
/// Paths of a workload.
pub(super) const PATHS: usize = 3;
/// Steps of a migration that only the audit keeps.
pub(super) const STEPS: usize = 6;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct SecretsOptions {
    /// Clusters.
    pub clusters: usize,
    /// Workloads of each.
    pub workloads: usize,
    /// Workers of each cluster.
    pub workers: usize,
    /// Whether PostgreSQL is measured too, if it is installed.
    pub with_peer: bool,
}

/// Runs the load benchmark of the tracker.
///
/// # Errors
/// Whatever went wrong, also when not every workload was migrated.
pub fn run_secrets(options: &SecretsOptions) -> Result<SecretsReport> {
    if options.clusters == 0 || options.workloads < 200 || options.workers == 0 {
        return Err("at least one cluster, 200 workloads and one worker".into());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ours = runtime.block_on(ours::run(*options))?;
    wait_until_idle()?;
    let peer = if options.with_peer {
        progress::step("PostgreSQL");
        peer::run(*options)?
    } else {
        Err("left out (--no-peers)".to_owned())
    };
    Ok(SecretsReport { options: *options, ours, peer })
}
