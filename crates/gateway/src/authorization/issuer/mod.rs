//! The trusted issuer of bearer tokens.
//!
//! Owns the rules for its tokens, the sub-status of each error, and who the caller is. Verifying signatures needs heavy
//! libraries, so it is a feature: `absent` takes the place of `verified` in a build without it.

#[cfg(not(feature = "issuer"))]
mod absent;
mod identity;
#[cfg(feature = "issuer")]
mod verified;

#[cfg(not(feature = "issuer"))]
pub use absent::AbsentIssuer as Issuer;
pub(super) use identity::{BearerIdentity, refuse};
#[cfg(feature = "issuer")]
pub use verified::Issuer;
