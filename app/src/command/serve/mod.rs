//! `planisphere serve`: the engine behind the REST API until a signal stops it.

mod account_key;
mod announce;
mod run;

pub(crate) use run::Serve;
