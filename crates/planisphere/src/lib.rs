//! Planisphere as an embedded database: one dependency, one account in a folder or in memory.
//!
//! Owns the curated public API. Does not own behaviour: everything here is defined in `planisphere-engine`,
//! `planisphere-model` and `planisphere-storage-lsm`.

pub use engine::{Engine, Error, ErrorKind, Result};
