//! One run of a job: acquire the lease, run, write the status.
//!
//! Owns which instance may run when. The item is written only with `If-Match`, so two instances never lead the same
//! run.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use client::{Container, Item, Result};
use tokio::sync::Mutex;

use super::job::{JobFailure, JobsSettings, PeriodicJob, RegisteredJob};
use super::record::{self, JobStatus};
use super::start::JobSignals;
use crate::work::backoff::{Backoff, jitter};
use crate::work::{UtcTimestamp, WorkError};

/// The jobs of a system on one instance. Clones share them.
#[derive(Clone)]
pub struct Jobs {
    pub(super) container: Container,
    pub(super) settings: Arc<JobsSettings>,
    pub(super) jobs: Vec<Arc<RegisteredJob>>,
    pub(super) signals: Arc<JobSignals>,
}

/// A run in progress, with its lease.
#[derive(Clone, Debug)]
pub struct JobRun {
    container: Container,
    lease: std::time::Duration,
    item: Arc<Mutex<Item<JobStatus>>>,
}

impl Jobs {
    /// No jobs yet. Their items are stored in this container, which must have the partition key `/id`.
    #[must_use]
    pub fn new(container: &Container, settings: JobsSettings) -> Self {
        let (container, settings) = (container.clone(), Arc::new(settings));
        Self { container, settings, jobs: Vec::new(), signals: Arc::default() }
    }

    /// Adds a job and its function.
    #[must_use]
    pub fn with<F, R>(mut self, job: PeriodicJob, run: F) -> Self
    where
        F: Fn(JobRun) -> R + Send + Sync + 'static,
        R: Future<Output = std::result::Result<(), JobFailure>> + Send + 'static,
    {
        let run = Box::new(move |leading| Box::pin(run(leading)) as super::job::JobFuture);
        self.jobs.push(Arc::new(RegisteredJob { job, run }));
        self
    }

    /// Runs every job that is due and has no leader, one after the other. Returns their number.
    ///
    /// # Errors
    /// The first failed data call, after all jobs were tried. A job that fails is not an error here: see its status.
    pub async fn run_due(&self) -> Result<usize> {
        let mut ran = 0;
        let mut first_error = None;
        for registered in &self.jobs {
            match self.run_if_due(registered).await {
                Ok(did_run) => ran += usize::from(did_run),
                Err(error) => _ = first_error.get_or_insert(error),
            }
        }
        first_error.map_or(Ok(ran), Err)
    }

    /// The status of every job, in the order they were added, without those that no instance has checked yet.
    ///
    /// # Errors
    /// Those of [`Container::read`].
    pub async fn status(&self) -> Result<Vec<JobStatus>> {
        let mut status = Vec::with_capacity(self.jobs.len());
        for registered in &self.jobs {
            let item = record::read(&self.container, &registered.job.name).await?;
            status.extend(item.map(Item::into_value));
        }
        Ok(status)
    }

    /// Runs a job if it is due and has no leader. Returns whether it ran.
    pub(super) async fn run_if_due(&self, registered: &RegisteredJob) -> Result<bool> {
        let item = record::read_or_create(&self.container, &registered.job.name).await?;
        let Some(run) = self.acquire_lease(item).await? else { return Ok(false) };
        let result = (registered.run)(run.clone()).await;
        let name = registered.job.name.as_str();
        if let Err(error) = &result {
            tracing::warn!(job = name, error = %error, "a job failed");
        }
        // The item as it was last renewed, with its etag: a run that has lost its lease fails this write.
        let mut item = run.item.lock().await;
        self.settle(&registered.job, &mut item.value, result);
        if record::write(&self.container, &item).await?.is_none() {
            tracing::warn!(job = name, "a job outlived its lease; another instance leads it now");
        }
        Ok(true)
    }

    /// Acquires the lease of a job. `None` if it is not due, or another instance leads it.
    async fn acquire_lease(&self, mut item: Item<JobStatus>) -> Result<Option<JobRun>> {
        let now = UtcTimestamp::now(self.container.account().environment());
        let status = &mut item.value;
        match status.lease_until {
            Some(until) if until > now => return Ok(None),
            Some(until) => {
                // The previous leader never released its lease, so its run counts as failed and is repeated at once,
                // although the next regular time may be later.
                status.failures += 1;
                status.failures_in_a_row = status.failures_in_a_row.saturating_add(1);
                status.last_error = Some(format!(
                    "the leader '{}' was lost; its lease ended at {until}",
                    status.owner.as_deref().unwrap_or_default()
                ));
            }
            None if status.next_run_at > now => return Ok(None),
            None => {}
        }
        let random = self.container.account().environment().random();
        status.owner = Some(format!("{}.{random:016x}", self.settings.instance));
        status.lease_until = Some(now.after(self.settings.lease));
        status.last_started_at = Some(now);
        let Some(item) = record::write(&self.container, &item).await? else { return Ok(None) };
        let (container, lease) = (self.container.clone(), self.settings.lease);
        Ok(Some(JobRun { container, lease, item: Arc::new(Mutex::new(item)) }))
    }

    /// Releases the lease and records the result and the time of the next run.
    fn settle(
        &self,
        job: &PeriodicJob,
        status: &mut JobStatus,
        result: std::result::Result<(), JobFailure>,
    ) {
        let now = UtcTimestamp::now(self.container.account().environment());
        let random = self.container.account().environment().random();
        (status.owner, status.lease_until, status.last_ended_at) = (None, None, Some(now));
        // Counted from the start of this run, so that the duration of a run does not shift the schedule.
        let started = status.last_started_at.unwrap_or(now);
        let wait = job.interval + jitter(job.interval, job.jitter_percent, random);
        match result {
            Ok(()) => {
                status.runs += 1;
                status.failures_in_a_row = 0;
                status.last_error = None;
                status.next_run_at = started.after(wait);
            }
            Err(error) => {
                status.failures += 1;
                status.failures_in_a_row = status.failures_in_a_row.saturating_add(1);
                status.last_error = Some(error.to_string().chars().take(1000).collect());
                let (first, longest) = (self.settings.retry_delay, job.interval);
                let backoff = Backoff { first, longest, jitter_percent: job.jitter_percent };
                status.next_run_at = now.after(backoff.delay(status.failures_in_a_row, random));
            }
        }
    }
}

impl JobRun {
    /// Extends the lease. Long jobs call it between their steps, and stop when it fails.
    ///
    /// # Errors
    /// `Lost` if another instance leads now; `Retry` if the write failed.
    pub async fn renew(&self) -> std::result::Result<(), WorkError> {
        let mut item = self.item.lock().await;
        item.value.lease_until =
            Some(UtcTimestamp::now(self.container.account().environment()).after(self.lease));
        match record::write(&self.container, &item).await? {
            // The new etag is kept; the next renewal and the final write need it.
            Some(written) => *item = written,
            None => return Err(WorkError::Lost),
        }
        Ok(())
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.jobs.iter().map(|registered| registered.job.name.as_str());
        formatter.debug_list().entries(names).finish()
    }
}
