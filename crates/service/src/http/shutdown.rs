//! The signal on which a service stops.

use tokio::sync::watch;

/// Asks everything in a service to finish: the listener, event streams, workers. Clones share the signal.
#[derive(Clone, Debug)]
pub struct ShutdownSignal(watch::Sender<bool>);

impl ShutdownSignal {
    /// A signal that is not triggered yet.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::channel(false).0)
    }

    /// Triggers the signal. It cannot be reset.
    pub fn trigger(&self) {
        self.0.send_replace(true);
    }

    /// Whether the signal was triggered.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the signal is triggered.
    pub async fn triggered(&self) {
        let mut receiver = self.0.subscribe();
        // The channel cannot close while we wait: `self` is its sender.
        let _ = receiver.wait_for(|is_triggered| *is_triggered).await;
    }
}

impl Default for ShutdownSignal {
    fn default() -> Self {
        Self::new()
    }
}
