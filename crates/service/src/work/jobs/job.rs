//! What a job is, and what the operator chooses for all of them.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::JobRun;

/// Why a run of a job failed. The text is stored and shown, so it must hold no secret.
pub type JobFailure = Box<dyn std::error::Error + Send + Sync>;

/// The name of a job and how often it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub(super) name: String,
    pub(super) interval: Duration,
    pub(super) jitter_percent: u32,
}

/// What the operator chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobsSettings {
    /// Name of this instance, for whoever reads who leads.
    pub instance: String,
    /// How long after it was taken or renewed a lease is free for others: longer than a run, or than the time between
    /// two calls of [`JobRun::renew`].
    pub lease: Duration,
    /// How often a started instance looks whether a job is due.
    pub poll_interval: Duration,
    /// The wait after a failed run; it doubles up to the interval of the job.
    pub retry_delay: Duration,
}

pub(super) type JobFuture = Pin<Box<dyn Future<Output = Result<(), JobFailure>> + Send>>;

/// A job with what it does.
pub(super) struct Registered {
    pub(super) job: Job,
    pub(super) run: Box<dyn Fn(JobRun) -> JobFuture + Send + Sync>,
}

impl Job {
    /// A job of this name, different from that of every other, that runs this often; at once when it never ran.
    #[must_use]
    pub fn every(name: impl Into<String>, interval: Duration) -> Self {
        Self { name: name.into(), interval, jitter_percent: 10 }
    }

    /// The time between two runs is longer by up to this share of the interval, drawn; 10 unless given.
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
