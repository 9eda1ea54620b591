//! Telling open streams of this process that a user's list has changed.
//!
//! Owns the signals. Does not own streams (`http`), nor what other processes do: a stream also looks by itself.

use tokio::sync::broadcast;

use crate::words::{Notification, UserId};

/// What happened to a list.
#[derive(Clone, Debug)]
pub enum Signal {
    /// A notification came.
    New(Box<Notification>),
    /// One changed: more events were added, it was read or put away.
    Updated(Box<Notification>),
    /// Several changed, or all are gone.
    Changed,
}

/// Where signals go: to whoever listens now.
#[derive(Debug)]
pub(crate) struct Signals {
    sender: broadcast::Sender<(UserId, Signal)>,
}

/// Signals kept for a slow listener; who falls behind further is told that something changed.
const SIGNALS_MAX: usize = 1_024;

impl Default for Signals {
    fn default() -> Self {
        Self { sender: broadcast::channel(SIGNALS_MAX).0 }
    }
}

impl Signals {
    /// Tells everybody who listens.
    pub(crate) fn send(&self, user: &UserId, signal: Signal) {
        // An error only says that nobody listens.
        let _ = self.sender.send((user.clone(), signal));
    }

    /// Signals of all users from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<(UserId, Signal)> {
        self.sender.subscribe()
    }
}
