//! Bearer tokens: signed claims of an issuer we believe.
//!
//! Owns every check of a token: algorithm, signature, issuer, audience, time. Time is that of the environment. The list
//! of algorithms is closed by the kind of issuer, so neither `none` nor a public key taken for a secret can pass.

use axum::http::header::WWW_AUTHENTICATE;
use client::Environment;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::key_set::KeySet;
use super::principal::Principal;
use crate::http::Problem;

/// Longer texts are not even decoded.
const TOKEN_CHARS_MAX: usize = 16 * 1024;
const SUBJECT_CHARS_MAX: usize = 256;

/// What is expected of tokens.
#[derive(Debug)]
pub(crate) struct Bearer {
    pub(crate) environment: Environment,
    pub(crate) issuer: String,
    pub(crate) audience: String,
    pub(crate) skew_seconds: i64,
    pub(crate) roles_claim: String,
    pub(crate) keys: Keys,
}

/// What tokens are signed with.
pub(crate) enum Keys {
    /// Keys the issuer publishes: RS256 and ES256.
    Published(KeySet),
    /// A secret shared with the issuer, which is ourselves: HS256.
    Demo(DecodingKey),
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Published(_) => "Published",
            Self::Demo(_) => "Demo",
        })
    }
}

impl Bearer {
    /// The caller a token names.
    ///
    /// # Errors
    /// 401 `invalid_token` with `WWW-Authenticate`.
    pub(crate) async fn authenticate(&self, token: &str) -> Result<Principal, Problem> {
        self.checked(token).await.map_err(|why| {
            Problem::unauthorized("invalid_token", format!("The token is not accepted: {why}."))
                .header(WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"")
        })
    }

    async fn checked(&self, token: &str) -> Result<Principal, String> {
        if token.len() > TOKEN_CHARS_MAX {
            return Err(format!("it is longer than {TOKEN_CHARS_MAX} characters"));
        }
        let head = decode_header(token).map_err(|_| "it is no JWT with a known algorithm")?;
        let (key, algorithm) = self.key(head.kid.as_deref(), head.alg).await?;
        let mut validation = Validation::new(algorithm);
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let decoded = decode::<Map<String, Value>>(token, &key, &validation);
        let claims = decoded.map_err(|_| "its signature is not by a key of the issuer")?.claims;
        self.check_claims(&claims)?;
        self.principal(claims)
    }

    async fn key(
        &self,
        key_id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<(DecodingKey, Algorithm), String> {
        match (&self.keys, algorithm) {
            (Keys::Demo(key), Algorithm::HS256) => Ok((key.clone(), algorithm)),
            (Keys::Published(keys), Algorithm::RS256 | Algorithm::ES256) => {
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
        // Some issuers write fractions of seconds.
        #[expect(clippy::cast_possible_truncation, reason = "seconds beyond any life saturate")]
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

    fn principal(&self, claims: Map<String, Value>) -> Result<Principal, String> {
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
        Ok(Principal::new(subject, roles, claims))
    }
}

/// Whether a published key may check signatures of an algorithm.
fn is_for(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_signing =
        !matches!(&key.common.public_key_use, Some(purpose) if *purpose != PublicKeyUse::Signature);
    let named = key.common.key_algorithm.as_ref().map(ToString::to_string);
    is_signing && named.is_none_or(|named| named == format!("{algorithm:?}"))
}
