//! `planisphere serve`: the engine behind the REST API until a signal stops it.

mod account_key;
mod announce;
mod certificate;
mod emulator;
mod issuer;
mod run;
mod usage;

pub(crate) use account_key::account_key;
pub(crate) use run::{Serve, stop_signal, warn};
pub(crate) use usage::{USAGE_FILE, read_prices};
