//! Sign-in by a one-time code.
//!
//! Owns the code, its hash and the two steps. Does not own sessions (`service`), nor sign-in by an issuer.

mod code;
mod hash;
mod steps;

pub use hash::CodeHasher;
