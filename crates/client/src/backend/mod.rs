//! Backends: what executes the requests of an account.
//!
//! Owns the trait and its implementations, each with one table of errors. A backend executes requests; retries and
//! traces are above it.

#[cfg(feature = "connect")]
mod connected;
mod embedded;
mod fault_plan;
mod faulty;
mod traits;

#[cfg(feature = "connect")]
pub(crate) use connected::ConnectedBackend;
#[cfg(feature = "connect")]
pub use connected::{Credential, Endpoint};
pub(crate) use embedded::{EmbeddedBackend, translate};
pub use fault_plan::{Fault, Faults, QueryMutation};
pub(crate) use faulty::FaultyBackend;
pub(crate) use traits::Backend;
