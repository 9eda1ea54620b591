//! A periodic job, and the settings of all jobs.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::JobRun;

/// Why a run of a job failed. The text is stored and shown, so it must not contain secrets.
pub type JobFailure = Box<dyn std::error::Error + Send + Sync>;

/// The name of a job and how often it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodicJob {
    pub(super) name: String,
    pub(super) interval: Duration,
    pub(super) jitter_percent: u32,
}

/// The settings of all jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobsSettings {
    /// Name of this instance, shown as the leader.
    pub instance: String,
    /// Time after which a lease that was not renewed is available to others. It must be longer than a run, or than the
    /// time between two calls of [`JobRun::renew`].
    pub lease: Duration,
    /// The interval at which a started instance checks whether a job is due.
    pub poll_interval: Duration,
    /// The delay after a failed run; it doubles up to the interval of the job.
    pub retry_delay: Duration,
}

pub(super) type JobFuture = Pin<Box<dyn Future<Output = Result<(), JobFailure>> + Send>>;

/// A job with its function.
pub(super) struct RegisteredJob {
    pub(super) job: PeriodicJob,
    pub(super) run: Box<dyn Fn(JobRun) -> JobFuture + Send + Sync>,
}

impl PeriodicJob {
    /// A job with a unique name that runs at this interval, and at once if it never ran.
    #[must_use]
    pub fn every(name: impl Into<String>, interval: Duration) -> Self {
        Self { name: name.into(), interval, jitter_percent: 10 }
    }

    /// Lengthens the time between two runs by a random share of up to this percentage of the interval; the default is
    /// 10.
    #[must_use]
    pub fn jitter_percent(self, jitter_percent: u32) -> Self {
        Self { jitter_percent, ..self }
    }
}

impl Default for JobsSettings {
    fn default() -> Self {
        Self {
            instance: "instance".to_owned(),
            lease: Duration::from_secs(300),
            poll_interval: Duration::from_secs(5),
            retry_delay: Duration::from_secs(30),
        }
    }
}
