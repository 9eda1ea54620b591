//! Devices: registering, refreshing, revoking; the cap and the owner of a token.

mod change;
mod owner;
mod register;
mod revoke;

pub use register::{DeviceRegistration, RegisteredDevice};
