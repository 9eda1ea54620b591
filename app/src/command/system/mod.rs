//! What the commands of every system share.
//!
//! Owns the flags of `serve` and of operator commands, the sources of settings, and the log. Does not own what a
//! system does with them.

#[cfg(any(
    feature = "chat",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
))]
mod operator_flags;
mod service_log;
mod serving;
mod settings_flags;

#[cfg(any(
    feature = "chat",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
))]
pub(crate) use operator_flags::{OpenedAccount, OperatorFlags};
pub(crate) use service_log::begin as begin_log;
pub(crate) use serving::{DefaultAccount, ServingFlags, http_server};
pub(crate) use settings_flags::SettingsFlags;
