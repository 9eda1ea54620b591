//! The commands of the binary, one module each.

mod backup;
mod bench;
#[cfg(feature = "chat")]
mod chat;
mod completions;
mod copy;
mod cost;
mod dispatch;
mod emulator;
#[cfg(feature = "event-store")]
mod event_store;
mod export;
mod import;
mod list;
#[cfg(not(all(
    feature = "chat",
    feature = "event-store",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
)))]
mod missing;
#[cfg(feature = "notifications")]
mod notifications;
mod partitions;
mod query;
mod report;
mod restore;
mod schema;
mod script;
#[cfg(feature = "secret-migration")]
mod secret_migration;
mod serve;
#[cfg(any(
    feature = "chat",
    feature = "event-store",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
))]
mod system;
mod verify;
mod version;
#[cfg(feature = "worlds")]
mod worlds;

pub(crate) use dispatch::PlanisphereCommand;
#[cfg(feature = "notifications")]
pub(crate) use serve::read_prices;
#[cfg(any(
    feature = "chat",
    feature = "event-store",
    feature = "notifications",
    feature = "secret-migration",
    feature = "worlds"
))]
pub(crate) use serve::stop_signal;
