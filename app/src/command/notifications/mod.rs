//! `planisphere notifications`: the notifications system as a service, and its operator's commands.
//!
//! Owns flags, words on the terminal and the demonstration. Every rule about events is the system's own.

mod budget;
mod configuration;
mod demo;
mod erase;
mod log;
mod opening;
mod retry;
mod run;
mod schema;
mod send;
mod serve;
mod settings;
mod tail;

pub(crate) use run::Notifications;
