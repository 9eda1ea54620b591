//! The place inside the program: requests become operations of the engine.
//!
//! Owns the translation in both directions and the table from the engine's error kinds to ours.

mod batch;
mod catalog;
mod error;
mod execute;
mod feed;
mod write;

pub(crate) use error::translate;
pub(crate) use execute::Embedded;
