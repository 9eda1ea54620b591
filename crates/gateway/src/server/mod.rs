//! Sockets: accepting connections, speaking HTTP on them, stopping gracefully.
//!
//! Owns connections and their bounds. Does not own what is answered.

mod bodied;
mod certificate;
mod guarded;
mod listen;
mod patient;
mod respond;
mod tls;

pub use certificate::Certificate;
