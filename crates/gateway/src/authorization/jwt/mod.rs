//! Bearer tokens of a real issuer: signed claims, checked against the keys the issuer publishes.
//!
//! Owns the token, its signature and where the keys come from. Does not own what a caller may do; see `role`.

mod claims;
mod fetch;
mod issuer;
mod key_set;
mod signing_key;
mod token;

pub(crate) use claims::Claims;
pub use issuer::{Issuer, KeySource};
pub(crate) use token::Token;
