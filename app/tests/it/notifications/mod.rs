//! `planisphere notifications`: the service and the operator's commands.

mod budget;
mod commands;
mod schema;
mod serve;
