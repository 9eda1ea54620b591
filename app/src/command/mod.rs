//! The commands of the binary, one module each.

mod backup;
mod bench;
mod completions;
mod copy;
mod cost;
mod dispatch;
mod emulator;
mod export;
mod import;
mod list;
#[cfg(not(feature = "notifications"))]
mod missing;
#[cfg(feature = "notifications")]
mod notifications;
mod query;
mod report;
mod restore;
mod schema;
mod serve;
mod verify;
mod version;

pub(crate) use dispatch::PlanisphereCommand;
#[cfg(feature = "notifications")]
pub(crate) use serve::{read_prices, stop_signal};
