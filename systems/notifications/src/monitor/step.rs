//! The steps of dispatching one event. Each has an effect on what is stored or sent.
//!
//! A process may crash between any two of them; tests crash it there through an observer.

/// What the dispatcher has just done for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DispatchStep {
    /// The event was read; nothing has been done yet.
    Received,
    /// The event is `PROCESSING`, with a lease.
    Claimed,
    /// Preferences, earlier notifications, rate limits and devices were read.
    Planned,
    /// The event was merged into an earlier notification.
    Merged,
    /// The notification is in the in-app list.
    Listed,
    /// One device was pushed to.
    DevicePushed,
    /// All devices were pushed to, and those with invalid tokens are revoked.
    AllPushed,
    /// The event's final status is written.
    Finished,
}

impl DispatchStep {
    /// All steps, in their order.
    pub const ALL: [Self; 8] = [
        Self::Received,
        Self::Claimed,
        Self::Planned,
        Self::Merged,
        Self::Listed,
        Self::DevicePushed,
        Self::AllPushed,
        Self::Finished,
    ];
}

/// Is called after every step of the dispatcher.
pub trait DispatchObserver: Send + Sync {
    /// A step is done.
    fn on_step(&self, step: DispatchStep);
}
