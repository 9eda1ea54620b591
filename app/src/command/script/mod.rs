//! `planisphere script`: lists, pushes and runs the scripts of a container.

mod file;
mod folder;
mod place;
mod run;
#[cfg(feature = "connect")]
mod server;

pub(crate) use run::ScriptCommand;
