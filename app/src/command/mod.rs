//! The commands of the binary, one module each.

mod bench;
mod copy;
mod cost;
mod dispatch;
mod export;
mod import;
mod notifications;
mod query;
mod report;
mod schema;
mod serve;
mod verify;
mod version;

pub(crate) use dispatch::PlanisphereCommand;
pub(crate) use serve::{read_prices, stop_signal, warn};
