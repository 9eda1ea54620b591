//! What the commands of every system share.
//!
//! Owns the flags of `serve` and of operator commands, the sources of settings, the log, and how charges are measured
//! and printed. Does not own what a system does with them.

#[cfg(any(feature = "event-store", feature = "notifications"))]
mod account_calls;
#[cfg(any(
    feature = "chat",
    feature = "event-store",
    feature = "secret-migration",
    feature = "worlds"
))]
mod budget_table;
mod host;
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
mod table;

#[cfg(feature = "notifications")]
pub(crate) use account_calls::{AccountCall, by_container};
#[cfg(any(feature = "event-store", feature = "notifications"))]
pub(crate) use account_calls::{Calls, sum, terms};
#[cfg(any(
    feature = "chat",
    feature = "event-store",
    feature = "secret-migration",
    feature = "worlds"
))]
pub(crate) use budget_table::{BudgetRow, BudgetTable};
pub(crate) use host::{HostSettings, ServedSystem, ServiceHost};
pub(crate) use measured_account::measured_account;
#[cfg(any(
    feature = "chat",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
))]
pub(crate) use operator_flags::{OpenedAccount, OperatorFlags};
#[cfg(feature = "secret-migration")]
pub(crate) use service_log::begin as begin_log;
pub(crate) use serving::{DefaultAccount, ServingFlags};
pub(crate) use settings_flags::SettingsFlags;
#[cfg(feature = "notifications")]
pub(crate) use table::table;
