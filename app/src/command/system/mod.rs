//! What the commands of every system share.
//!
//! Owns the flags of `serve` and of operator commands, the sources of settings, and the log. Does not own what a system does with them.

mod operator_flags;
mod service_log;
mod serving;
mod settings_flags;

pub(crate) use operator_flags::{OpenedAccount, OperatorFlags};
pub(crate) use service_log::begin as begin_log;
#[cfg(feature = "chat")]
pub(crate) use serving::DefaultAccount;
pub(crate) use serving::{ServingFlags, http_server};
pub(crate) use settings_flags::SettingsFlags;
