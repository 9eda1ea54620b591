//! Questions: the reads that a caller can ask for, one file each.

mod devices;
mod events;
mod list;
mod preferences;
mod stats;
mod unread;

pub use events::EventPage;
pub use list::{ListOptions, NotificationPage};
pub use stats::QueueStats;
