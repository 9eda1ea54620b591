//! A small issuer of tokens, for tests and demonstrations.
//!
//! Owns making HS256 tokens with the secret that the service itself believes in demo mode.

use std::fmt;

use client::Environment;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

/// How long its tokens live.
const LIFE_SECONDS: u64 = 60 * 60;

/// Makes tokens.
#[derive(Clone)]
pub struct DemoIssuer {
    environment: Environment,
    key: EncodingKey,
    issuer: String,
    audience: String,
}

impl DemoIssuer {
    pub(crate) fn new(
        environment: Environment,
        secret: &[u8],
        issuer: &str,
        audience: &str,
    ) -> Self {
        let key = EncodingKey::from_secret(secret);
        Self { environment, key, issuer: issuer.to_owned(), audience: audience.to_owned() }
    }

    /// A token for an hour.
    #[must_use]
    pub fn token(&self, subject: &str, roles: &[&str]) -> String {
        self.token_with(subject, json!({ "roles": roles }))
    }

    /// A token with claims of the caller's choice; they win over the usual ones.
    #[must_use]
    pub fn token_with(&self, subject: &str, claims: Value) -> String {
        let now = self.environment.now().seconds().0;
        let mut all = json!({
            "iss": self.issuer, "aud": self.audience, "sub": subject,
            "iat": now, "exp": now + LIFE_SECONDS,
        });
        if let (Value::Object(all), Value::Object(claims)) = (&mut all, claims) {
            all.extend(claims);
        }
        encode(&Header::new(Algorithm::HS256), &all, &self.key)
            .expect("claims are JSON and a secret signs anything")
    }
}

impl fmt::Debug for DemoIssuer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DemoIssuer").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}
