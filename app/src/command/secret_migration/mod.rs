//! `planisphere secret-migration`: the secrets migration tracker as a service, and its operator commands.

mod agent;
mod budget;
mod cluster;
mod configuration;
mod demo;
mod open;
mod rollback;
mod run;
mod scan;
mod schema;
mod serve;
mod settings;
mod vault;
mod work;

pub(crate) use run::SecretMigrationCommand;
