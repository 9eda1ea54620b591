//! Jobs that run by themselves: one loop for each, until they are stopped or dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::run::Jobs;

/// How the loops hear that they are to end, and say that they did.
#[derive(Debug, Default)]
pub(super) struct Signals {
    stopping: AtomicBool,
    running: AtomicUsize,
    changed: Notify,
}

impl Jobs {
    /// Looks every poll interval whether a job is due, each job beside the others, until [`Jobs::stop`] or until the
    /// last clone is dropped. What fails meanwhile is tried again.
    pub fn start(&self) {
        self.signals.stopping.store(false, Ordering::SeqCst);
        for registered in &self.jobs {
            let alive = Arc::downgrade(&self.settings);
            let signals = Arc::clone(&self.signals);
            let (container, registered) = (self.container.clone(), Arc::clone(registered));
            let environment = self.container.account().environment().clone();
            let sleeper = environment.clone();
            let counted = Counted::new(&signals);
            environment.spawn(async move {
                let _counted = counted;
                // A clone of the settings lives as long as a clone of the jobs.
                while let Some(settings) = alive.upgrade() {
                    if signals.stopping.load(Ordering::SeqCst) {
                        break;
                    }
                    let wait = settings.poll_interval;
                    let signals = Arc::clone(&signals);
                    let jobs =
                        Self { container: container.clone(), settings, jobs: Vec::new(), signals };
                    if let Err(error) = jobs.run_if_due(&registered).await {
                        tracing::warn!(job = registered.job.name, error = %error, "a round failed");
                    }
                    let signals = Arc::clone(&jobs.signals);
                    drop(jobs);
                    tokio::select! {
                        () = sleeper.sleep(wait) => {}
                        () = signals.stopped() => {}
                    }
                }
            });
        }
    }

    /// Lets running jobs end and returns then.
    pub async fn stop(&self) {
        self.signals.stopping.store(true, Ordering::SeqCst);
        self.signals.changed.notify_waiters();
        loop {
            let changed = self.signals.changed.notified();
            if self.signals.running.load(Ordering::SeqCst) == 0 {
                return;
            }
            changed.await;
        }
    }
}

/// A loop that runs, counted until it is dropped, by a panic too.
struct Counted(Arc<Signals>);

impl Counted {
    fn new(signals: &Arc<Signals>) -> Self {
        signals.running.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(signals))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

impl Signals {
    /// Returns when the loops are to end.
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
