//! What every system needs around its data.
//!
//! Owns settings, HTTP, identity, mail, work (jobs, leases, queues), erasure and telemetry. Does not own any data model
//! or rule of a system, and names no storage: data is reached through `client`. `copy` and `schema` are used alone by
//! the command line; the feature `http` (on by default) adds the rest.

#[cfg(feature = "http")]
mod extract;
#[cfg(feature = "http")]
mod problem;

#[cfg(feature = "http")]
pub mod charge;
pub mod copy;
#[cfg(feature = "http")]
pub mod erasure;
#[cfg(feature = "http")]
pub mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "http")]
pub mod identity;
#[cfg(feature = "mail")]
pub mod mail;
pub mod schema;
#[cfg(feature = "http")]
pub mod settings;
#[cfg(feature = "http")]
pub mod telemetry;
#[cfg(feature = "http")]
pub mod timestamp;
#[cfg(feature = "http")]
pub mod work;
