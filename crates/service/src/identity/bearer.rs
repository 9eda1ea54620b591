//! Verification of bearer tokens: JSON web tokens signed by a trusted issuer.
//!
//! Owns every check of a token: algorithm, signature, issuer, audience, time. Time is that of the environment. The kind
//! of issuer fixes the accepted algorithms, so neither `none` nor a public key used as an HMAC secret can pass.

use axum::http::header::WWW_AUTHENTICATE;
use client::Environment;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::caller::Caller;
use super::key_set::KeySet;
use crate::problem::Problem;

/// Longer tokens are rejected before they are decoded.
const TOKEN_CHARS_MAX: usize = 16 * 1024;
const SUBJECT_CHARS_MAX: usize = 256;

/// Verifies tokens of one issuer for one audience.
#[derive(Debug)]
pub(super) struct BearerVerifier {
    pub(super) environment: Environment,
    pub(super) issuer: String,
    pub(super) audience: String,
    pub(super) skew_seconds: i64,
    pub(super) roles_claim: String,
    pub(super) keys: VerificationKeys,
}

/// The keys that verify signatures.
pub(super) enum VerificationKeys {
    /// Public keys that the issuer publishes: RS256 and ES256.
    Published(KeySet),
    /// A secret of this service, which is its own issuer: HS256.
    Demo(DecodingKey),
}

impl std::fmt::Debug for VerificationKeys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Published(_) => "Published",
            Self::Demo(_) => "Demo",
        })
    }
}

impl BearerVerifier {
    /// Verifies a token and returns its caller.
    ///
    /// # Errors
    /// 401 `invalid_token` with `WWW-Authenticate`.
    pub(super) async fn authenticate(&self, token: &str) -> Result<Caller, Problem> {
        self.verify(token).await.map_err(|why| {
            Problem::unauthorized("invalid_token", format!("The token is not accepted: {why}."))
                .header(WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"")
        })
    }

    async fn verify(&self, token: &str) -> Result<Caller, String> {
        if token.len() > TOKEN_CHARS_MAX {
            return Err(format!("it is longer than {TOKEN_CHARS_MAX} characters"));
        }
        let header = decode_header(token).map_err(|_| "it is no JWT with a known algorithm")?;
        let (key, algorithm) = self.key(header.kid.as_deref(), header.alg).await?;
        // The library checks the signature only: claims are compared with the clock of the environment below.
        let mut validation = Validation::new(algorithm);
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let decoded = decode::<Map<String, Value>>(token, &key, &validation);
        let claims = decoded.map_err(|_| "its signature is not by a key of the issuer")?.claims;
        self.check_claims(&claims)?;
        self.caller(claims)
    }

    async fn key(
        &self,
        key_id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<(DecodingKey, Algorithm), String> {
        match (&self.keys, algorithm) {
            (VerificationKeys::Demo(key), Algorithm::HS256) => Ok((key.clone(), algorithm)),
            (VerificationKeys::Published(keys), Algorithm::RS256 | Algorithm::ES256) => {
                let jwk = keys.key(&self.environment, key_id).await?;
                if !is_for(&jwk, algorithm) {
                    return Err(format!("its key is not for signatures with {algorithm:?}"));
                }
                let key = DecodingKey::from_jwk(&jwk).map_err(|_| "its key cannot be used")?;
                Ok((key, algorithm))
            }
            _ => Err(format!("the algorithm {algorithm:?} is not accepted here")),
        }
    }

    fn check_claims(&self, claims: &Map<String, Value>) -> Result<(), String> {
        if claims.get("iss").and_then(Value::as_str) != Some(self.issuer.as_str()) {
            return Err(format!("it is not by '{}'", self.issuer));
        }
        let is_us = |audience: &Value| audience.as_str() == Some(self.audience.as_str());
        let is_meant = match claims.get("aud") {
            Some(Value::Array(audiences)) => audiences.iter().any(is_us),
            Some(audience) => is_us(audience),
            None => false,
        };
        if !is_meant {
            return Err(format!("it is not meant for '{}'", self.audience));
        }
        // NumericDate may have a fraction (RFC 7519, 2).
        #[expect(clippy::cast_possible_truncation, reason = "seconds out of range saturate")]
        let second =
            |name: &str| claims.get(name).and_then(Value::as_f64).map(|at| at.floor() as i64);
        let now = i64::try_from(self.environment.now().seconds().0).unwrap_or(i64::MAX);
        let expires = second("exp").ok_or("it has no time 'exp' at which it ends")?;
        if expires.saturating_add(self.skew_seconds) <= now {
            return Err("it has expired".to_owned());
        }
        match claims.get("nbf").map(|_| second("nbf")) {
            None => Ok(()),
            Some(Some(begins)) if begins <= now.saturating_add(self.skew_seconds) => Ok(()),
            Some(_) => Err("it is not valid yet".to_owned()),
        }
    }

    fn caller(&self, claims: Map<String, Value>) -> Result<Caller, String> {
        let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default().to_owned();
        if subject.is_empty() || subject.len() > SUBJECT_CHARS_MAX {
            return Err("it has no claim 'sub' that names its caller".to_owned());
        }
        let roles = match claims.get(&self.roles_claim) {
            Some(Value::Array(roles)) => {
                roles.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(Value::String(roles)) => roles.split_whitespace().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        Ok(Caller::new(subject, roles, claims))
    }
}

/// Whether a published key may verify signatures of an algorithm.
fn is_for(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_signing =
        !matches!(&key.common.public_key_use, Some(purpose) if *purpose != PublicKeyUse::Signature);
    let named = key.common.key_algorithm.as_ref().map(ToString::to_string);
    is_signing && named.is_none_or(|named| named == format!("{algorithm:?}"))
}
