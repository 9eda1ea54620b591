//! `planisphere secret-migration`: the service, the vault and the operator's commands.

mod agent;
mod commands;
mod whole;
