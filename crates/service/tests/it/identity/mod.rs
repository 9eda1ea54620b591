//! Authentication.

mod issuer;
mod oidc;
mod session;
mod token;
