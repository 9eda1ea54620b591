//! `planisphere serve`: serves the REST API until a signal stops it.

mod account_key;
mod announce;
mod certificate;
mod emulator;
mod evaluation;
mod explorer;
mod issuer;
mod limits;
mod run;
mod usage;

pub(crate) use run::ServeCommand;
#[cfg(any(feature = "notifications", feature = "secret-migration"))]
pub(crate) use run::{stop_signal, warn};
pub(crate) use usage::{USAGE_FILE, read_prices};
