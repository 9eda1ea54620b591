//! Devices: registering, refreshing, revoking; the device cap and the ownership of push tokens.

mod change;
mod owner;
mod register;
mod revoke;
mod verify;

pub use register::{DeviceRegistration, RegisteredDevice};
