//! The system at work: a worker, the timer and the jobs, until they are stopped.

use std::time::Duration;

use service::http::Stop;
use service::work::{Job, JobRun, Jobs, JobsSettings};

use crate::error::Result;
use crate::notifications::Notifications;

use super::dispatch::Dispatcher;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// The wait after a round that failed: the data cannot be reached.
const FAILED_WAIT: Duration = Duration::from_secs(1);

impl Notifications {
    /// Works until the signal: processes events as they come, and what is due again on one process of all. What fails
    /// meanwhile is tried again.
    ///
    /// # Errors
    /// Those of the account when the worker cannot begin.
    pub async fn run(&self, stop: &Stop) -> Result<()> {
        let worker = format!("{:016x}", self.core.environment.random());
        let dispatcher = self.dispatcher(&worker).await?;
        let jobs = self.jobs(&worker);
        jobs.start();
        // The page at hand is finished, then the leases are let go of.
        let stopping = async {
            stop.stopped().await;
            dispatcher.stop().await
        };
        let ((), stopped) = tokio::join!(self.work(&dispatcher, stop), stopping);
        jobs.stop().await;
        stopped
    }

    /// What repeats, each on one process of all.
    #[must_use]
    pub fn jobs(&self, instance: &str) -> Jobs {
        let settings = &self.core.settings;
        let jobs = JobsSettings {
            instance: instance.to_owned(),
            poll_interval: settings.interval().min(Duration::from_secs(5)),
            ..JobsSettings::default()
        };
        let (sweep, clean, finish) = (self.clone(), self.clone(), self.clone());
        Jobs::new(&self.core.containers.leases, jobs)
            .with(
                Job::every("sweep events", settings.interval()).jitter_percent(0),
                move |_: JobRun| {
                    let system = sweep.clone();
                    async move {
                        system.sweep().await?;
                        Ok(())
                    }
                },
            )
            .with(Job::every("clean devices", DAY), move |_: JobRun| {
                let system = clean.clone();
                async move {
                    system.clean_devices().await?;
                    Ok(())
                }
            })
            .with(Job::every("finish erasures", settings.lease()), move |_: JobRun| {
                let system = finish.clone();
                async move {
                    system.finish_erasures().await?;
                    Ok(())
                }
            })
    }

    async fn work(&self, dispatcher: &Dispatcher, stop: &Stop) {
        let core = &self.core;
        let poll = Duration::from_millis(core.settings.poll_milliseconds);
        while !stop.is_stopping() {
            let wait = match dispatcher.run_once().await {
                Ok(_) => poll,
                Err(error) => {
                    tracing::warn!(error = %error, "a round of the dispatcher failed");
                    core.health.error(core.now(), &error.to_string());
                    FAILED_WAIT
                }
            };
            tokio::select! {
                () = stop.stopped() => {}
                () = core.wake.notified() => {}
                () = core.environment.sleep(wait) => {}
            }
        }
    }
}
