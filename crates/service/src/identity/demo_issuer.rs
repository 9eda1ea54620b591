//! A token issuer for tests and demonstrations.
//!
//! Owns signing HS256 tokens with the secret that the service itself accepts in demo mode.

use std::fmt;

use client::Environment;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

/// The lifetime of its tokens.
const LIFETIME_SECONDS: u64 = 60 * 60;

/// Issues tokens.
#[derive(Clone)]
pub struct DemoIssuer {
    environment: Environment,
    key: EncodingKey,
    issuer: String,
    audience: String,
}

impl DemoIssuer {
    pub(super) fn new(
        environment: Environment,
        secret: &[u8],
        issuer: &str,
        audience: &str,
    ) -> Self {
        let key = EncodingKey::from_secret(secret);
        Self { environment, key, issuer: issuer.to_owned(), audience: audience.to_owned() }
    }

    /// A token that is valid for an hour.
    #[must_use]
    pub fn token(&self, subject: &str, roles: &[&str]) -> String {
        self.token_with(subject, json!({ "roles": roles }))
    }

    /// A token with additional claims, which override the usual ones.
    #[must_use]
    pub fn token_with(&self, subject: &str, claims: Value) -> String {
        let now = self.environment.now().seconds().0;
        let mut all = json!({
            "iss": self.issuer, "aud": self.audience, "sub": subject,
            "iat": now, "exp": now + LIFETIME_SECONDS,
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
