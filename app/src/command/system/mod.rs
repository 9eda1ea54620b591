//! What the commands of every system share.
//!
//! Owns the flags of `serve` and of operator commands, the sources of settings, the log, and how charges are measured
//! and printed. Does not own what a system does with them.

#[cfg(any(feature = "event-store", feature = "notifications"))]
mod account_calls;
#[cfg(feature = "event-store")]
mod measured_account;
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
#[cfg(any(feature = "event-store", feature = "notifications"))]
mod table;

#[cfg(feature = "notifications")]
pub(crate) use account_calls::{AccountCall, by_container};
#[cfg(any(feature = "event-store", feature = "notifications"))]
pub(crate) use account_calls::{Calls, sum, terms};
#[cfg(feature = "event-store")]
pub(crate) use measured_account::measured_account;
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
#[cfg(any(feature = "event-store", feature = "notifications"))]
pub(crate) use table::table;
