//! The running system: workers of every known cluster, until the stop signal.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use service::http::ShutdownSignal;
use service::work::{JobRun, Jobs, JobsSettings, PeriodicJob};

use crate::domain::{ClusterName, UtcTimestamp};
use crate::error::Result;
use crate::migration::SecretMigration;

use super::work::RunScope;

/// The pause between two rounds, unless something wakes the workers. Pending workloads of other processes are found
/// this late.
const ROUND_PAUSE: Duration = Duration::from_secs(2);
/// How long a stop waits for what is begun.
const STOP_GRACE: Duration = Duration::from_secs(10);

impl SecretMigration {
    /// Completes the audit of workloads that were changed since a time: a process that crashed between a change and its
    /// entry left one out.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn repair_audit(&self, cluster: &ClusterName, since: UtcTimestamp) -> Result<()> {
        self.core.repair_audit(cluster, since).await
    }

    /// Runs the workers of all known clusters until the stop signal. A round that fails is repeated later. No cluster
    /// waits for another: a wave with a low rate takes hours.
    pub async fn run(&self, shutdown: &ShutdownSignal) {
        let core = &self.core;
        core.is_stopping.store(false, Ordering::Relaxed);
        let worker = format!("{:016x}", core.environment.random());
        let jobs = self.jobs(&worker);
        jobs.start();
        let mut audited_until = UtcTimestamp::default();
        let mut rounds = FuturesUnordered::new();
        let mut busy = BTreeSet::new();
        while !shutdown.is_triggered() {
            let now = core.now();
            let is_audit_due = now.since(audited_until) >= core.settings.lease();
            let clusters = self.clusters().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the list of clusters could not be read");
                Vec::new()
            });
            for cluster in clusters {
                if busy.insert(cluster.clone()) {
                    rounds.push(self.round(
                        cluster,
                        is_audit_due.then_some(audited_until),
                        &worker,
                    ));
                }
            }
            if is_audit_due {
                // A change of a worker that was still at it may come with an earlier time than this round.
                audited_until = now.before(core.settings.lease());
            }
            let pause = core.environment.sleep(ROUND_PAUSE);
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = shutdown.triggered() => break,
                    () = core.wake_workers.notified() => break,
                    () = &mut pause => break,
                    Some(ended) = rounds.next() => {
                        busy.remove(&ended);
                    }
                }
            }
        }
        core.is_stopping.store(true, Ordering::Relaxed);
        // What is begun ends, unless it takes too long: then its lease ends, and another worker goes on.
        tokio::select! {
            () = async { while rounds.next().await.is_some() {} } => {}
            () = core.environment.sleep(STOP_GRACE) => {}
        }
        jobs.stop().await;
    }

    /// One round over a cluster, and before it the completion of its audit since a time. Returns the cluster.
    async fn round(
        &self,
        cluster: ClusterName,
        audit_since: Option<UtcTimestamp>,
        worker: &str,
    ) -> ClusterName {
        if let Some(since) = audit_since
            && let Err(error) = self.repair_audit(&cluster, since).await
        {
            tracing::warn!(%cluster, %error, "the audit could not be completed");
        }
        let is_automatic = self.core.settings.automatic;
        let scope = if is_automatic { RunScope::All } else { RunScope::Requested };
        if let Err(error) = self.run_cluster(&cluster, scope, worker).await {
            tracing::warn!(%cluster, %error, "a round of the workers failed");
        }
        cluster
    }

    /// The periodic jobs: scans and synchronisations of the manifest folder, if there is one. Each runs in one process
    /// of all that have started them.
    #[must_use]
    pub fn jobs(&self, instance: &str) -> Jobs {
        let settings = &self.core.settings;
        let jobs = JobsSettings { instance: instance.to_owned(), ..JobsSettings::default() };
        let jobs = Jobs::new(&self.core.containers.leases, jobs);
        if settings.manifest_folder.is_empty() {
            return jobs;
        }
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let scan = PeriodicJob::every("scan manifests", minutes(settings.scan_interval_minutes));
        let sync = PeriodicJob::every("sync namespaces", minutes(settings.namespace_sync_minutes));
        let (scanner, synchroniser) = (self.clone(), self.clone());
        jobs.with(scan, move |_: JobRun| {
            let system = scanner.clone();
            async move {
                let settings = &system.core.settings;
                let folder = std::path::Path::new(&settings.manifest_folder);
                system.scan_folder(folder, &settings.default_mount, "scanner").await?;
                Ok(())
            }
        })
        // Without jitter: a new namespace is known within a minute.
        .with(sync.jitter_percent(0), move |_: JobRun| {
            let system = synchroniser.clone();
            async move {
                let folder = std::path::Path::new(&system.core.settings.manifest_folder);
                system.sync_folder(folder).await?;
                Ok(())
            }
        })
    }
}
