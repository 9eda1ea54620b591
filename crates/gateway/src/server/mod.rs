//! The HTTP server: accepts connections, speaks HTTP on them, shuts down gracefully.
//!
//! Owns connections and their limits. Does not own what is answered.

mod catch_panic;
mod certificate;
mod error_body;
mod handle;
mod idle_timeout;
mod listen;
mod tls;

pub use certificate::Certificate;
