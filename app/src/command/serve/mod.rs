//! `planisphere serve`: the engine behind the REST API until a signal stops it.

mod account_key;
mod announce;
mod certificate;
mod emulator;
mod issuer;
mod run;

pub(crate) use run::Serve;
