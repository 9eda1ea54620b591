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
/// Longer names are cut. The name becomes part of a cookie.
const NAME_CHARS_MAX: usize = 100;

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
        let claims = verified.map_err(|error| error.to_string())?.into_map();
        caller_of_claims(claims, &self.roles_claim)
    }
}

/// The caller that the claims of a verified token name.
///
/// # Errors
/// When they name nobody: the predicate of a sentence about the token.
pub(super) fn caller_of_claims(
    claims: Map<String, Value>,
    roles_claim: &str,
) -> Result<Caller, String> {
    let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default().to_owned();
    // A subject becomes part of partition keys and of the keys of limits.
    if subject.is_empty() || subject.len() > SUBJECT_CHARS_MAX {
        return Err("has no claim 'sub' that names its caller".to_owned());
    }
    let roles = match claims.get(roles_claim) {
        Some(Value::Array(roles)) => {
            roles.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        // As the claim `scope` writes them.
        Some(Value::String(roles)) => roles.split_whitespace().map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    Ok(Caller::new(subject, roles, claims))
}

/// What people call the person that claims name, for display only. It is no identifier: people can change it.
pub(super) fn display_name(claims: &Map<String, Value>) -> Option<String> {
    let names = ["name", "preferred_username", "email"];
    let name = names.iter().find_map(|name| claims.get(*name).and_then(Value::as_str))?;
    let name: String = name.chars().filter(|one| !one.is_control()).take(NAME_CHARS_MAX).collect();
    (!name.is_empty()).then_some(name)
}
