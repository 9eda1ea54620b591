//! `planisphere event-store`: the event store as a service, and its operator commands.
//!
//! The system itself is `systems/event-store`. Opens it, serves it, prints what it says; decides nothing.

mod budget;
mod configuration;
mod demo;
mod events;
mod load;
mod migrate;
mod open;
mod project;
mod run;
mod serve;
mod tenant;
mod transfer;

pub(crate) use run::EventStoreCommand;
