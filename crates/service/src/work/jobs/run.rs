//! One run of a job: the lease taken, the job done, its status written.
//!
//! Owns who may run when. The item is written under its etag only, so two instances never lead the same run.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use client::{Container, Item, Result};
use tokio::sync::Mutex;

use super::job::{Job, JobFailure, JobsSettings, Registered};
use super::record::{self, JobStatus};
use super::start::Signals;
use crate::work::backoff::{Backoff, jitter};
use crate::work::{Moment, WorkError};

/// The jobs of a system on one instance. Cloning shares them.
#[derive(Clone)]
pub struct Jobs {
    pub(super) container: Container,
    pub(super) settings: Arc<JobsSettings>,
    pub(super) jobs: Vec<Arc<Registered>>,
    pub(super) signals: Arc<Signals>,
}

/// A job that runs now: its lease.
#[derive(Clone, Debug)]
pub struct JobRun {
    container: Container,
    lease: std::time::Duration,
    item: Arc<Mutex<Item<JobStatus>>>,
}

impl Jobs {
    /// No jobs yet; their items are kept in this container, which has the partition key `/id`.
    #[must_use]
    pub fn new(container: &Container, settings: JobsSettings) -> Self {
        let (container, settings) = (container.clone(), Arc::new(settings));
        Self { container, settings, jobs: Vec::new(), signals: Arc::default() }
    }

    /// Adds a job and what it does.
    #[must_use]
    pub fn with<F, R>(mut self, job: Job, run: F) -> Self
    where
        F: Fn(JobRun) -> R + Send + Sync + 'static,
        R: Future<Output = std::result::Result<(), JobFailure>> + Send + 'static,
    {
        let run = Box::new(move |leading| Box::pin(run(leading)) as super::job::JobFuture);
        self.jobs.push(Arc::new(Registered { job, run }));
        self
    }

    /// Runs every job that is due and has no leader, one after the other; says how many.
    ///
    /// # Errors
    /// The first failed data call; the other jobs were tried. A job that fails is not an error here: see its status.
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

    /// How every job stands, in the order they were added; those no instance ever looked at are left out.
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

    /// Runs a job if it is due and nobody leads it; whether it ran.
    pub(super) async fn run_if_due(&self, registered: &Registered) -> Result<bool> {
        let item = record::open(&self.container, &registered.job.name).await?;
        let Some(run) = self.lead(item).await? else { return Ok(false) };
        let outcome = (registered.run)(run.clone()).await;
        let name = registered.job.name.as_str();
        if let Err(error) = &outcome {
            tracing::warn!(job = name, error = %error, "a job failed");
        }
        let mut item = run.item.lock().await;
        self.settle(&registered.job, &mut item.value, outcome);
        if record::write(&self.container, &item).await?.is_none() {
            tracing::warn!(job = name, "a job outlived its lease; its leader is another");
        }
        Ok(true)
    }

    /// Takes the lease of a job that is due; none when it is not, or somebody else leads.
    async fn lead(&self, mut item: Item<JobStatus>) -> Result<Option<JobRun>> {
        let now = Moment::now(self.container.account().environment());
        let status = &mut item.value;
        match status.lease_until {
            Some(until) if until > now => return Ok(None),
            Some(until) => {
                // Whoever led did not come back: that run failed.
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

    /// Frees the lease and says how the run went and when the next is.
    fn settle(
        &self,
        job: &Job,
        status: &mut JobStatus,
        outcome: std::result::Result<(), JobFailure>,
    ) {
        let now = Moment::now(self.container.account().environment());
        let random = self.container.account().environment().random();
        (status.owner, status.lease_until, status.last_ended_at) = (None, None, Some(now));
        let started = status.last_started_at.unwrap_or(now);
        let wait = job.interval + jitter(job.interval, job.jitter_percent, random);
        match outcome {
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
    /// Keeps the lease: long jobs call it between their steps, and end when they lost it.
    ///
    /// # Errors
    /// `Lost` when another instance leads now; `Again` when the write failed.
    pub async fn renew(&self) -> std::result::Result<(), WorkError> {
        let mut item = self.item.lock().await;
        item.value.lease_until =
            Some(Moment::now(self.container.account().environment()).after(self.lease));
        match record::write(&self.container, &item).await? {
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
