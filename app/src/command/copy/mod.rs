//! `planisphere copy`: copies a container into another one, optionally with another partition key.
//!
//! The copying itself is `service::copy`.

mod checkpoint;
mod endpoints;
mod print;
mod run;

#[cfg(feature = "chat")]
pub(crate) use checkpoint::CheckpointFile;
pub(crate) use run::CopyCommand;
