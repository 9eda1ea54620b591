//! The steps of one event, each with its effect on what is stored or sent.
//!
//! Owns their list. Between any two of them a process may die; a watch is how a test lets it.

/// What the dispatcher has just done for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The event is read, and nothing is done yet.
    Met,
    /// It is `PROCESSING`, with a lease.
    Claimed,
    /// Preferences, earlier notifications, limits and devices are read.
    Decided,
    /// It was added to an earlier notification.
    Merged,
    /// The notification is in the list.
    Listed,
    /// One device was pushed to.
    PushedOne,
    /// All devices were, and invalid ones are revoked.
    Pushed,
    /// The end of its way is written.
    Ended,
}

impl Step {
    /// All of them, in their order.
    pub const ALL: [Self; 8] = [
        Self::Met,
        Self::Claimed,
        Self::Decided,
        Self::Merged,
        Self::Listed,
        Self::PushedOne,
        Self::Pushed,
        Self::Ended,
    ];
}

/// Somebody who is told of steps.
pub trait StepWatch: Send + Sync {
    /// A step is done.
    fn reached(&self, step: Step);
}
