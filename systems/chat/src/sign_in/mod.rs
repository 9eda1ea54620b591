//! Sign-in by a one-time code, or by an issuer.
//!
//! Owns the code, its hash and the two steps, and which people of an issuer are users. Does not own sessions or the
//! flow of an issuer (`service`).

mod code;
mod hash;
mod issuer;
mod steps;

pub use hash::CodeHasher;
pub(crate) use issuer::IssuerAdmission;
