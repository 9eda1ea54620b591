//! `planisphere worlds`: the world builder as a service, and its operator commands.
//!
//! The system itself is `systems/worlds`. Opens it, serves it, prints what it says; decides nothing.

mod budget;
mod configuration;
mod demo;
mod erase;
mod open;
mod rebuild;
mod run;
mod savings;
mod schema;
mod serve;
mod transfer;

pub(crate) use run::WorldsCommand;
