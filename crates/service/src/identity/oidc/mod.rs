//! Sign-in of people by OpenID Connect: the authorization code flow with PKCE.
//!
//! Owns the two requests of a browser (to the issuer and back), the exchange of the code, the checks of the ID token,
//! and the address where people sign out of the issuer. The result is a session as any other; no token of the issuer
//! is kept. Does not own sessions, nor verifying signatures; see the crate `jwks`.
//!
//! ```text
//! browser                         service                                  issuer
//!   GET /session/oidc       ->      sets a cookie with the attempt
//!   <- 303 to the issuer            state, nonce, code_challenge
//!   signs in there                                                  ->
//!   GET /session/callback   ->      checks cookie, state and issuer
//!                                   POST token: code, code_verifier  ->
//!                                                                    <-    ID token
//!   <- 303 to the page              checks signature, audience, nonce; starts a session
//! ```
//!
//! The attempt needs no storage: `state`, `nonce` and the PKCE verifier are derived from its id with a key of the
//! service, so every instance that shares `Identity:Secret` can finish it.

mod attempt;
mod error;
mod flow;
mod issuer;
mod redirect;
mod return_path;
mod routes;

pub(super) use flow::{OidcFlow, SignedInPerson};
pub(super) use redirect::RedirectUri;
pub(super) use routes::{oidc_routes, requested_host};
