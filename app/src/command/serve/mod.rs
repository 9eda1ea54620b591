//! `planisphere serve`: serves the REST API until a signal stops it.

mod account_key;
mod announce;
mod certificate;
mod change_plan;
mod emulator;
mod endpoint;
mod evaluation;
mod explorer;
mod faults;
mod issuer;
mod limits;
mod listeners;
mod partitions;
mod run;
#[cfg(feature = "postgres")]
mod shared;
mod stop;
mod usage;

pub(crate) use emulator::{EmulatorVariables, VariableScope};
pub(crate) use run::ServeCommand;
#[cfg(any(
    feature = "chat",
    feature = "event-store",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
))]
pub(crate) use stop::stop_signal;
pub(crate) use usage::{USAGE_FILE, read_prices};
