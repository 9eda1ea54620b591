//! The place behind an endpoint: requests become calls of the official library.
//!
//! Owns the translation in both directions, the table from status codes to our error kinds, and what the library does
//! not offer. TLS, its own retries, failover and the discovery of endpoints are the library's.

mod batch;
mod catalog;
mod endpoint;
mod error;
mod execute;
mod feed;
mod item;
mod patch;
mod properties;
mod reply;
mod throughput;
mod translate;

pub use endpoint::{Credential, Endpoint};
pub(crate) use execute::Connected;
