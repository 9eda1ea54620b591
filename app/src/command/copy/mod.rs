//! `planisphere copy`: a container into another one, at any two places, under another partition key if wanted.
//!
//! Owns the command line and the file of the checkpoint. Does not own the copying: `service::copy` does it.

mod checkpoint;
mod run;
mod side;
mod tell;

pub(crate) use run::Copy;
