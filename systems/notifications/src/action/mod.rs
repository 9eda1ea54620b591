//! What can be done: one file for each thing.

mod device;
mod enqueue;
mod erase;
mod mark;
mod preferences;
mod retry;

pub use device::{DeviceRegistration, RegisteredDevice};
pub use enqueue::NewEvent;
pub use preferences::PreferencesChange;
