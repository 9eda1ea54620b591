//! The tasks of a started processor: one that shares leases in every renew interval, and one per lease held.
//!
//! Owns their loops and their end. Every wait is the environment's. Does not own what a round or a page does.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::checkpoint::Held;
use super::cover::Initialised;
use super::page::PageEnd;
use super::round::Round;
use super::run::Inner;

/// What a processor is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Idle,
    Running,
    /// Pages end, then the leases are released.
    Stopping,
    /// Everything ends where it waits.
    Dropped,
}

/// What each task has.
#[derive(Clone)]
pub(crate) struct Task {
    inner: Arc<Inner>,
    phase: watch::Receiver<Phase>,
    /// Dropped with the task, which is how the end of all tasks is seen.
    _running: mpsc::Sender<()>,
}

impl Task {
    /// Starts the task that starts the others.
    pub(crate) fn start(
        inner: Arc<Inner>,
        phase: watch::Receiver<Phase>,
        running: mpsc::Sender<()>,
    ) {
        let environment = inner.environment().clone();
        let task = Self { inner, phase, _running: running };
        let mut dropped = task.phase.clone();
        environment.spawn(async move {
            tokio::select! {
                () = until(&mut dropped, |phase| phase == Phase::Dropped) => {}
                () = task.share() => {}
            }
        });
    }

    /// Shares leases until the processor stops.
    async fn share(mut self) {
        let settings = self.inner.settings.clone();
        while self.is_running() {
            let mut round = Round::default();
            let pause = match self.inner.share(&mut round).await {
                Ok(Initialised::Done) => settings.renew_interval,
                Ok(Initialised::Elsewhere) => settings.poll_interval,
                Err(error) => {
                    self.inner.remember(&error);
                    settings.poll_interval
                }
            };
            for held in self.inner.held() {
                if !held.attend() {
                    self.attend(held);
                }
            }
            let inner = Arc::clone(&self.inner);
            tokio::select! {
                () = self.pause(pause) => {}
                () = inner.woken.notified() => {}
            }
        }
    }

    /// Starts the task of one lease.
    fn attend(&self, held: Arc<Held>) {
        let task = self.clone();
        let mut dropped = self.phase.clone();
        self.inner.environment().spawn(async move {
            tokio::select! {
                () = until(&mut dropped, |phase| phase == Phase::Dropped) => {}
                () = task.work(held) => {}
            }
        });
    }

    /// Handles page after page of a lease until it is lost or the processor stops.
    async fn work(mut self, held: Arc<Held>) {
        while self.is_running() && !held.is_lost() {
            let end = self.inner.page(&held).await;
            let at_once = matches!(end, Ok(PageEnd::Handled { .. } | PageEnd::Passed));
            self.inner.note(&held, end, &mut Round::default());
            if !at_once {
                let poll_interval = self.inner.settings.poll_interval;
                tokio::select! {
                    () = self.pause(poll_interval) => {}
                    () = held.until_lost() => {}
                }
            }
        }
    }

    fn is_running(&self) -> bool {
        *self.phase.borrow() == Phase::Running
    }

    /// Waits, but not longer than the processor runs.
    async fn pause(&mut self, duration: Duration) {
        let environment = self.inner.environment().clone();
        tokio::select! {
            () = environment.sleep(duration) => {}
            () = until(&mut self.phase, |phase| phase != Phase::Running) => {}
        }
    }
}

/// Completes when the processor is in such a phase, or is gone.
async fn until(phase: &mut watch::Receiver<Phase>, reached: impl Fn(Phase) -> bool) {
    let _ = phase.wait_for(|phase| reached(*phase)).await;
}
