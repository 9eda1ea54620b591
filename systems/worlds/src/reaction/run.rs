//! The running system: the worker, its operations, the periodic jobs and the streams, until they are stopped.

use std::time::Duration;

use service::http::ShutdownSignal;
use service::work::{JobRun, Jobs, JobsSettings, PeriodicJob};

use super::worker::TreeWorker;
use crate::error::Result;
use crate::worlds::Worlds;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// The pause after a round that failed because the data could not be reached.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl Worlds {
    /// Runs until the stop signal. The jobs run in one process of all. Failed rounds are repeated.
    ///
    /// # Errors
    /// Those of the account when the worker cannot start.
    pub async fn run(&self, shutdown: &ShutdownSignal) -> Result<()> {
        // A new name per start. Leases of a crashed predecessor expire by themselves.
        let name = format!("{:016x}", self.core.environment.random());
        let worker = self.tree_worker(&name).await?;
        let jobs = self.jobs(&name);
        jobs.start();
        let trees = self.run_worker(&worker, &name, shutdown);
        let ((), ()) = tokio::join!(trees, self.publish_changes(shutdown));
        let stopped = worker.stop().await;
        jobs.stop().await;
        stopped
    }

    /// The periodic jobs. Each runs in one process of all that have started them.
    #[must_use]
    pub fn jobs(&self, instance: &str) -> Jobs {
        let settings = JobsSettings { instance: instance.to_owned(), ..JobsSettings::default() };
        let (sweep, reconcile) = (self.clone(), self.clone());
        Jobs::new(&self.core.containers.leases, settings)
            .with(PeriodicJob::every("sweep trash", HOUR), move |_: JobRun| {
                let system = sweep.clone();
                async move {
                    system.sweep_trash().await?;
                    Ok(())
                }
            })
            .with(PeriodicJob::every("reconcile worlds", DAY), move |_: JobRun| {
                let system = reconcile.clone();
                async move {
                    system.reconcile().await?;
                    Ok(())
                }
            })
    }

    async fn run_worker(&self, worker: &TreeWorker, name: &str, shutdown: &ShutdownSignal) {
        let core = &self.core;
        while !shutdown.is_triggered() {
            let round = async {
                worker.run_once().await?;
                self.run_operations(name).await
            };
            let wait = match round.await {
                Ok(_) => core.settings.change_feed.poll_interval(),
                Err(error) => {
                    tracing::warn!(error = %error, "a round of the worker failed");
                    RETRY_DELAY
                }
            };
            tokio::select! {
                () = shutdown.triggered() => {}
                () = core.environment.sleep(wait) => {}
            }
        }
    }
}
