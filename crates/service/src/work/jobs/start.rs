//! Running jobs in the background: one loop per job, until they are stopped or dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::run::Jobs;

/// Asks the loops to stop, and counts those that still run.
#[derive(Debug, Default)]
pub(super) struct JobSignals {
    stopping: AtomicBool,
    running: AtomicUsize,
    changed: Notify,
}

impl Jobs {
    /// Checks at every poll interval whether a job is due, each job in its own loop, until [`Jobs::stop`] or until the
    /// last clone is dropped. Failures are retried.
    pub fn start(&self) {
        self.signals.stopping.store(false, Ordering::SeqCst);
        for registered in &self.jobs {
            let alive = Arc::downgrade(&self.settings);
            let signals = Arc::clone(&self.signals);
            let (container, registered) = (self.container.clone(), Arc::clone(registered));
            let environment = self.container.account().environment().clone();
            let sleeper = environment.clone();
            // Made before the task is spawned: `stop` must count a loop that has not begun to run yet.
            let guard = LoopGuard::new(&signals);
            environment.spawn(async move {
                let _guard = guard;
                // The settings live as long as a clone of the jobs. The loop holds them only during a round, so that
                // dropping the last clone ends it.
                while let Some(settings) = alive.upgrade() {
                    if signals.stopping.load(Ordering::SeqCst) {
                        break;
                    }
                    let wait = settings.poll_interval;
                    let signals = Arc::clone(&signals);
                    let jobs =
                        Self { container: container.clone(), settings, jobs: Vec::new(), signals };
                    if let Err(error) = jobs.run_if_due(&registered).await {
                        tracing::warn!(job = registered.job.name, error = %error, "checking a job failed");
                    }
                    let signals = Arc::clone(&jobs.signals);
                    // Releases the settings before the wait; see above.
                    drop(jobs);
                    tokio::select! {
                        () = sleeper.sleep(wait) => {}
                        () = signals.stopped() => {}
                    }
                }
            });
        }
    }

    /// Waits for running jobs to finish, and starts no more.
    pub async fn stop(&self) {
        self.signals.stopping.store(true, Ordering::SeqCst);
        self.signals.changed.notify_waiters();
        loop {
            // Subscribe before checking: a loop that ends in between must not be missed.
            let changed = self.signals.changed.notified();
            if self.signals.running.load(Ordering::SeqCst) == 0 {
                return;
            }
            changed.await;
        }
    }
}

/// Counts a running loop until it is dropped, also by a panic.
struct LoopGuard(Arc<JobSignals>);

impl LoopGuard {
    fn new(signals: &Arc<JobSignals>) -> Self {
        signals.running.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(signals))
    }
}

impl Drop for LoopGuard {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

impl JobSignals {
    /// Waits until the loops must stop.
    async fn stopped(&self) {
        loop {
            let changed = self.changed.notified();
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            changed.await;
        }
    }
}
