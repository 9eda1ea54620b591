//! Our own format: databases, containers and their scripts in TOML.

mod file;
mod script;

pub(super) use file::read;
