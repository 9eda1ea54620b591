//! What can be asked: one file for each thing.

mod devices;
mod events;
mod list;
mod preferences;
mod stats;
mod unread;

pub use events::EventPage;
pub use list::{ListOptions, NotificationPage};
pub use stats::Stats;
