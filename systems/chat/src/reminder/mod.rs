//! Reminders of messages that nobody has read: scheduled on send, cancelled by a receipt, kept over a restart.
//!
//! Owns the queue and what is sent. Does not own the way (`delivery`).

mod queue;
mod run;
mod stored;

pub use queue::ReminderQueue;
pub use run::ReminderRound;
pub(crate) use stored::StoredReminders;
