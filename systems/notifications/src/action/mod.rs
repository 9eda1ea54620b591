//! Actions: the writes that a caller can ask for, one file each.

mod device;
mod enqueue;
mod erase;
mod mark;
mod preferences;
mod retry;

pub use device::{DeviceRegistration, RegisteredDevice};
pub use enqueue::NewEvent;
pub(crate) use preferences::PreferencesBody;
pub use preferences::PreferencesChange;
