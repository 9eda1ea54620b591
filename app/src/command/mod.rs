//! The commands of the binary, one module each.

mod bench;
mod copy;
mod cost;
mod dispatch;
mod emulator;
mod export;
mod import;
#[cfg(not(feature = "notifications"))]
mod missing;
#[cfg(feature = "notifications")]
mod notifications;
mod partitions;
mod query;
mod report;
mod schema;
mod serve;
mod verify;
mod version;

pub(crate) use dispatch::PlanisphereCommand;
#[cfg(feature = "notifications")]
pub(crate) use serve::{read_prices, stop_signal};
