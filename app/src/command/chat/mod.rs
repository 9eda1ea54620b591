//! `planisphere chat`: the room chat and its operator commands.
//!
//! The system itself is `systems/chat`. Opens it, serves it, prints what it says; decides nothing.

mod budget;
mod configuration;
mod demo;
mod mention;
mod open;
mod playbook;
mod privacy;
mod rooms;
mod run;
mod schema;
mod serve;
mod users;

pub(crate) use run::ChatCommand;
