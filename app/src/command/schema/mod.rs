//! `planisphere schema`: keeps databases and containers as a file; compares it with an account, applies it or exports
//! it.
//!
//! The schema, its files and its plan are `service::schema`.

mod arguments;
mod export;
mod format;
mod messages;
mod run;
mod scripts;

#[cfg(any(
    feature = "chat",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
))]
pub(crate) use format::SchemaFormatArg;
pub(crate) use run::SchemaCommand;
