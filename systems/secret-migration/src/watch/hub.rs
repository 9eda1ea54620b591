//! Wakes those who wait for a change of a workload.
//!
//! Owns when a waiter looks again: at once after a write of this process, and every `WatchPollMilliseconds` for writes
//! of other processes. A look is a point read, so a waiter costs the same however many workloads there are.

use std::time::Duration;

use client::Environment;
use tokio::sync::watch;

use crate::settings::MigrationSettings;

/// Wakes waiters. Shared by all of them.
pub(crate) struct WatchHub {
    environment: Environment,
    poll_interval: Duration,
    changes: watch::Sender<u64>,
}

/// One waiter.
pub(crate) struct WatchListener<'a> {
    hub: &'a WatchHub,
    changes: watch::Receiver<u64>,
}

impl WatchHub {
    pub(crate) fn new(environment: &Environment, settings: &MigrationSettings) -> Self {
        let poll_interval = Duration::from_millis(settings.watch_poll_milliseconds);
        Self { environment: environment.clone(), poll_interval, changes: watch::channel(0).0 }
    }

    /// A workload was written by this process.
    pub(crate) fn wake(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Begins to listen. A write after this call wakes the listener, even before it waits.
    pub(crate) fn listen(&self) -> WatchListener<'_> {
        WatchListener { hub: self, changes: self.changes.subscribe() }
    }
}

impl WatchListener<'_> {
    /// Waits until it is time to look again.
    pub(crate) async fn next_look(&mut self) {
        tokio::select! {
            _ = self.changes.changed() => {}
            () = self.hub.environment.sleep(self.hub.poll_interval) => {}
        }
    }
}
