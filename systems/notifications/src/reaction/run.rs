//! The running system: a worker of the dispatcher and the periodic jobs, until they are stopped.

use std::time::Duration;

use service::http::ShutdownSignal;
use service::work::{JobRun, Jobs, JobsSettings, PeriodicJob};

use crate::error::Result;
use crate::notifications::Notifications;

use super::dispatch::Dispatcher;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// The pause after a round that failed because the data could not be reached.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl Notifications {
    /// Runs until the stop signal: processes events as they come. The jobs run in one process of all. Failed rounds are
    /// repeated.
    ///
    /// # Errors
    /// Those of the account when the worker cannot start.
    pub async fn run(&self, shutdown: &ShutdownSignal) -> Result<()> {
        // A new name per start. Leases of a crashed predecessor expire by themselves.
        let worker = format!("{:016x}", self.core.environment.random());
        let dispatcher = self.dispatcher(&worker).await?;
        let jobs = self.jobs(&worker);
        jobs.start();
        // Stopping waits for the page that is being processed, then releases the leases.
        let stopping = async {
            shutdown.triggered().await;
            dispatcher.stop().await
        };
        let ((), stopped) = tokio::join!(self.run_dispatcher(&dispatcher, shutdown), stopping);
        // After the dispatcher: a sweep may still release events that other processes take.
        jobs.stop().await;
        stopped
    }

    /// The periodic jobs. Each runs in one process of all that have started them.
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
                PeriodicJob::every("sweep events", settings.interval()).jitter_percent(0),
                move |_: JobRun| {
                    let system = sweep.clone();
                    async move {
                        system.sweep().await?;
                        Ok(())
                    }
                },
            )
            .with(PeriodicJob::every("clean devices", DAY), move |_: JobRun| {
                let system = clean.clone();
                async move {
                    system.clean_devices().await?;
                    Ok(())
                }
            })
            .with(PeriodicJob::every("finish erasures", settings.lease()), move |_: JobRun| {
                let system = finish.clone();
                async move {
                    system.finish_erasures().await?;
                    Ok(())
                }
            })
    }

    async fn run_dispatcher(&self, dispatcher: &Dispatcher, shutdown: &ShutdownSignal) {
        let core = &self.core;
        let poll = Duration::from_millis(core.settings.poll_milliseconds);
        while !shutdown.is_triggered() {
            let wait = match dispatcher.run_once().await {
                Ok(_) => poll,
                Err(error) => {
                    tracing::warn!(error = %error, "a round of the dispatcher failed");
                    core.health.record_error(core.now(), &error.to_string());
                    RETRY_DELAY
                }
            };
            tokio::select! {
                () = shutdown.triggered() => {}
                // An event of this process need not wait for the poll.
                () = core.wake_dispatcher.notified() => {}
                () = core.environment.sleep(wait) => {}
            }
        }
    }
}
