//! `planisphere notifications`: the notifications system as a service, and its operator commands.

mod budget;
mod configuration;
mod demo;
mod erase;
mod open;
mod retry;
mod run;
mod schema;
mod send;
mod serve;
mod settings;
mod tail;

pub(crate) use run::NotificationsCommand;
