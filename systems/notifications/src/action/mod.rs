//! What can be done: one file for each thing.

pub(crate) mod device;
mod enqueue;
mod mark;
mod preferences;
mod retry;

pub use device::{Registered, Registration};
pub use enqueue::NewEvent;
pub use preferences::PreferencesChange;
