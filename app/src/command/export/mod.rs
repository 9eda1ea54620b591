//! `planisphere export`: a container as JSON lines or one JSON array, from a folder or an endpoint.
//!
//! Owns the form of the file, that it appears under its name only when it is complete, and the position a stopped
//! export goes on at. Does not own the items: they are written as the account gives them.

mod names;
mod out;
mod run;
mod writing;

pub(crate) use names::Names;
pub(crate) use run::Export;
