//! The embedded backend: requests become operations of the engine in this process.
//!
//! Owns the translation in both directions and the table from the engine's error kinds to ours.

mod batch;
mod catalog;
mod error;
mod execute;
mod feed;
mod write;

pub(crate) use error::translate;
pub(crate) use execute::EmbeddedBackend;
