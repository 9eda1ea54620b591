//! `planisphere secret-migration`: the service, the vault and the operator's commands.

mod commands;
mod whole;
