//! The connected backend: requests become calls of the official SDK.
//!
//! Owns the conversion in both directions, the mapping of status codes to our error kinds, and what the SDK does not
//! offer. TLS, failover, discovery of endpoints and its own retries belong to the SDK.

mod batch;
mod catalog;
mod convert;
mod endpoint;
mod error;
mod execute;
mod feed;
mod item;
mod patch;
mod properties;
mod response;
mod throughput;

pub use endpoint::{Credential, Endpoint};
pub(crate) use execute::ConnectedBackend;
