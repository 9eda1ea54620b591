//! The HTTP server: accepts connections, speaks HTTP on them, shuts down gracefully.
//!
//! Owns connections and their limits. Does not own what is answered.

mod catch_panic;
mod certificate;
mod check_head;
mod connections;
mod error_body;
mod handle;
mod head_scanner;
mod listen;
mod response_body;
mod strict_stream;
mod tls;
mod transport;
mod write_adapter;
mod write_timeout;

pub use certificate::Certificate;
#[cfg(any(test, fuzzing))]
pub(crate) use head_scanner::check_scanner;
