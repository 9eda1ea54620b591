//! The log of a server on standard error: a line for each request, or more, as text or as JSON.
//!
//! Owns the flags, the filter and the form of a line. What is logged is said where it happens, through `tracing`;
//! without these flags nothing listens, and saying it costs nothing.

mod filter;
mod flags;
mod layer;

pub(crate) use flags::LogFlags;
