//! `planisphere export`: writes a container as JSON lines or one JSON array, from a folder or an endpoint.
//!
//! A file gets its name only when it is complete. Items are written as the account returns them.

mod file;
mod names;
mod run;
mod write;

pub(crate) use names::ContainerNames;
pub(crate) use run::ExportCommand;
