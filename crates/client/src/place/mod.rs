//! Where an account is: inside the program, or behind an endpoint.
//!
//! Owns the one trait and its implementations, each with its one table of errors. A place answers requests; retries
//! and traces are above it.

mod any;
#[cfg(feature = "connect")]
mod connected;
mod embedded;
mod faulty;

pub(crate) use any::Place;
#[cfg(feature = "connect")]
pub(crate) use connected::Connected;
#[cfg(feature = "connect")]
pub use connected::{Credential, Endpoint};
pub(crate) use embedded::{Embedded, translate};
pub(crate) use faulty::Faulty;
