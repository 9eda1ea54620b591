//! `planisphere schema`: databases and containers as a file, compared with a place, applied to it, or made of it.
//!
//! Owns flags and words on the terminal. The schema, its files and its plan are `service::schema`.

mod arguments;
mod export;
mod run;
mod tell;

pub(crate) use run::Schema;
