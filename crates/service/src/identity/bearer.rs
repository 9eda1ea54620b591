//! Bearer tokens of a trusted issuer.
//!
//! Owns the caller that a token names: subject, roles and other claims. Does not own verifying the token; see the crate
//! `jwks`. The time is that of the environment.

use axum::http::header::WWW_AUTHENTICATE;
use client::Environment;
use jwks::{TokenVerifier, UnverifiedToken};
use serde_json::{Map, Value};

use super::caller::Caller;
use crate::problem::Problem;

/// Longer tokens are rejected before they are decoded.
const TOKEN_CHARS_MAX: usize = 16 * 1024;
const SUBJECT_CHARS_MAX: usize = 256;

/// Authenticates callers by their tokens.
#[derive(Debug)]
pub(super) struct BearerVerifier {
    pub(super) environment: Environment,
    pub(super) verifier: TokenVerifier,
    pub(super) roles_claim: String,
}

impl BearerVerifier {
    /// Returns the caller that a token names.
    ///
    /// # Errors
    /// 401 `invalid_token` with `WWW-Authenticate`.
    pub(super) async fn authenticate(&self, token: &str) -> Result<Caller, Problem> {
        self.verify(token).await.map_err(|why| {
            Problem::unauthorized("invalid_token", format!("The token is not accepted: it {why}."))
                .header(WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"")
        })
    }

    async fn verify(&self, token: &str) -> Result<Caller, String> {
        if token.len() > TOKEN_CHARS_MAX {
            return Err(format!("is longer than {TOKEN_CHARS_MAX} characters"));
        }
        let token = UnverifiedToken::parse(token).map_err(|error| error.to_string())?;
        let verified = self.verifier.verify(&token, self.environment.now().0).await;
        self.caller(verified.map_err(|error| error.to_string())?.into_map())
    }

    fn caller(&self, claims: Map<String, Value>) -> Result<Caller, String> {
        let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default().to_owned();
        // A subject becomes part of partition keys and of the keys of limits.
        if subject.is_empty() || subject.len() > SUBJECT_CHARS_MAX {
            return Err("has no claim 'sub' that names its caller".to_owned());
        }
        let roles = match claims.get(&self.roles_claim) {
            Some(Value::Array(roles)) => {
                roles.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            // As the claim `scope` writes them.
            Some(Value::String(roles)) => roles.split_whitespace().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        Ok(Caller::new(subject, roles, claims))
    }
}
