//! `planisphere script`: lists, pushes and runs the scripts of a container.

mod file;
mod folder;
mod place;
mod run;
#[cfg(feature = "connect")]
mod server;

pub(super) use file::{KINDS, ScriptFile};
pub(super) use folder::FolderScripts;
pub(super) use place::ScriptPlace;
pub(crate) use run::ScriptCommand;
#[cfg(feature = "connect")]
pub(super) use server::ServerScripts;
