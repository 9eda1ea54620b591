//! Signals a hub method that its client no longer waits.

use tokio::sync::watch;

/// A parameter of a hub method that reports when the client cancels the call or disconnects.
#[derive(Clone, Debug)]
pub struct Cancellation {
    cancelled: watch::Receiver<bool>,
}

impl Cancellation {
    pub(crate) fn new(cancelled: watch::Receiver<bool>) -> Self {
        Self { cancelled }
    }

    /// Waits until the client cancels the call or disconnects.
    pub async fn cancelled(&self) {
        let mut cancelled = self.cancelled.clone();
        // The sender is dropped when the connection ends.
        let _ = cancelled.wait_for(|cancelled| *cancelled).await;
    }

    /// Whether the client has cancelled the call or disconnected.
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow() || self.cancelled.has_changed().is_err()
    }
}
