//! Accounts: opening them, and sending requests with retries and traces.
//!
//! Owns the backend of an account and the send loop. Does not own the typed calls: see `resource`.

mod handle;
mod recover;
mod send;
mod trace;

pub use handle::{Account, StorageLocation};
pub(crate) use trace::Trace;
