//! A sign-in that a browser has started and not yet finished.
//!
//! Owns the cookie that binds the attempt to the browser, and the values derived from it. They are not in the cookie:
//! whoever reads it cannot finish the sign-in elsewhere.

use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::Environment;
use ring::digest;
use serde::{Deserialize, Serialize};

use crate::identity::session::cookie;
use crate::identity::signing_key::SigningKey;

/// Time to sign in at the issuer, second factor and password reset included.
const LIFETIME_MS: u64 = 15 * 60 * 1000;
/// Longer cookies are rejected before they are decoded.
const COOKIE_CHARS_MAX: usize = 4 * 1024;

/// Starts attempts and finds them again.
#[derive(Clone, Debug)]
pub(super) struct SignInAttempts {
    environment: Environment,
    key: SigningKey,
    is_secure: bool,
}

/// The content of the cookie. The names are part of its format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignInAttempt {
    id: String,
    /// The page to show afterwards.
    pub(super) return_path: String,
    /// The token endpoint demands the same address again.
    pub(super) redirect_uri: String,
    ends_ms: u64,
}

impl SignInAttempts {
    pub(super) fn new(environment: Environment, key: &SigningKey, is_secure: bool) -> Self {
        Self { environment, key: key.derive("oidc attempt"), is_secure }
    }

    pub(super) fn start(&self, return_path: String, redirect_uri: String) -> SignInAttempt {
        let (high, low) = (self.environment.random(), self.environment.random());
        let ends_ms = self.environment.now().0 + LIFETIME_MS;
        SignInAttempt { id: format!("{high:016x}{low:016x}"), return_path, redirect_uri, ends_ms }
    }

    /// The attempt of a browser; `None` without a valid cookie, or if it has expired.
    pub(super) fn open(&self, headers: &HeaderMap) -> Option<SignInAttempt> {
        let text = cookie(headers, self.name()).filter(|text| text.len() <= COOKIE_CHARS_MAX)?;
        let attempt: SignInAttempt = self.key.verify_json(text)?;
        (attempt.ends_ms > self.environment.now().0).then_some(attempt)
    }

    pub(super) fn cookie(&self, attempt: &SignInAttempt) -> Option<HeaderValue> {
        self.cookie_line(&self.key.sign_json(attempt), LIFETIME_MS / 1000)
    }

    pub(super) fn expired_cookie(&self) -> Option<HeaderValue> {
        self.cookie_line("", 0)
    }

    /// The value that the issuer sends back. It shows that the response belongs to the request of this browser.
    pub(super) fn state(&self, attempt: &SignInAttempt) -> String {
        self.derived("state", attempt)
    }

    /// Whether this is the state of an attempt, in constant time.
    pub(super) fn verify_state(&self, attempt: &SignInAttempt, state: &str) -> bool {
        self.key.verify_text(&[b"state", attempt.id.as_bytes()], state)
    }

    /// The value that the ID token repeats. It shows that the token was issued for this attempt.
    pub(super) fn nonce(&self, attempt: &SignInAttempt) -> String {
        self.derived("nonce", attempt)
    }

    /// The PKCE verifier: 43 characters, known to this service only (RFC 7636, section 4.1).
    pub(super) fn code_verifier(&self, attempt: &SignInAttempt) -> String {
        self.derived("code verifier", attempt)
    }

    /// The hash of the verifier, by the method S256.
    pub(super) fn code_challenge(&self, attempt: &SignInAttempt) -> String {
        let verifier = self.code_verifier(attempt);
        URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
    }

    fn derived(&self, purpose: &str, attempt: &SignInAttempt) -> String {
        self.key.sign_text(&[purpose.as_bytes(), attempt.id.as_bytes()])
    }

    fn name(&self) -> &'static str {
        if self.is_secure { "__Host-sign-in" } else { "sign-in" }
    }

    fn cookie_line(&self, value: &str, seconds: u64) -> Option<HeaderValue> {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = self.name();
        // Not `Strict`: the response of the issuer is a navigation from another site, which must carry it.
        let line =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        HeaderValue::from_str(&line).ok()
    }
}
