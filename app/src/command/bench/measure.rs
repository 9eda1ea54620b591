//! Counts and times a step that many tasks repeat until nothing is left or time is up.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use tokio::task::JoinSet;

use crate::error::CommandError;
use crate::progress;

/// Whether a step had something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepResult {
    Done,
    NothingLeft,
}

/// The result of a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measurement {
    pub(crate) count: u64,
    pub(crate) seconds: f64,
    /// How many tasks shared the work; the duration of one step is this many times longer than the rate suggests.
    pub(crate) tasks: Option<usize>,
}

impl Measurement {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded to print")]
    #[expect(clippy::cast_precision_loss, reason = "rounded to print")]
    pub(crate) fn rate_per_second(&self) -> u64 {
        (self.count as f64 / self.seconds.max(1e-9)).round() as u64
    }

    /// The average duration of one step.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded to print")]
    #[expect(clippy::cast_precision_loss, reason = "rounded to print")]
    pub(crate) fn microseconds_each(&self) -> Option<u64> {
        let tasks = self.tasks? as f64;
        Some((self.seconds * 1e6 * tasks / self.count.max(1) as f64).round() as u64)
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Repeats a step in several tasks until nothing is left.
pub(crate) async fn repeat_until_done<F>(
    tasks: usize,
    bar: ProgressBar,
    step: impl Fn() -> F + Clone + Send + 'static,
) -> Result<Measurement, CommandError>
where
    F: Future<Output = Result<StepResult, CommandError>> + Send + 'static,
{
    repeat(tasks, None, bar, step).await
}

/// Repeats a step in several tasks for some seconds.
pub(crate) async fn repeat_for<F>(
    tasks: usize,
    seconds: u64,
    what: &'static str,
    step: impl Fn() -> F + Clone + Send + 'static,
) -> Result<Measurement, CommandError>
where
    F: Future<Output = Result<StepResult, CommandError>> + Send + 'static,
{
    repeat(tasks, Some(Duration::from_secs(seconds)), progress::counter(what), step).await
}

async fn repeat<F>(
    tasks: usize,
    lasts: Option<Duration>,
    bar: ProgressBar,
    step: impl Fn() -> F + Clone + Send + 'static,
) -> Result<Measurement, CommandError>
where
    F: Future<Output = Result<StepResult, CommandError>> + Send + 'static,
{
    let started = now();
    let count = Arc::new(AtomicU64::new(0));
    let mut running = JoinSet::new();
    for _ in 0..tasks {
        let (count, bar, step) = (Arc::clone(&count), bar.clone(), step.clone());
        running.spawn(async move {
            while lasts.is_none_or(|lasts| started.elapsed() < lasts) {
                match step().await? {
                    StepResult::Done => count.fetch_add(1, Ordering::Relaxed),
                    StepResult::NothingLeft => break,
                };
                bar.inc(1);
            }
            Ok(())
        });
    }
    let mut first_failure = None;
    while let Some(ended) = running.join_next().await {
        let ended: Result<(), CommandError> = match ended {
            Ok(ended) => ended,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        if let Err(failure) = ended
            && first_failure.is_none()
        {
            first_failure = Some(failure);
            running.abort_all();
            // Otherwise the loop would see the tasks as cancelled, and a cancelled task has no panic to resume.
            running.detach_all();
        }
    }
    bar.finish_and_clear();
    match first_failure {
        Some(failure) => Err(failure),
        None => Ok(Measurement {
            count: count.load(Ordering::Relaxed),
            seconds: started.elapsed().as_secs_f64(),
            tasks: Some(tasks),
        }),
    }
}
