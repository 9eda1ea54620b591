//! Browser sessions: a signed cookie that no script can read, and a CSRF token.
//!
//! Owns the cookies and their lifetime. A session is not stored: the signed cookie contains the caller and the expiry,
//! so every instance that has the secret accepts it. The price is that a session cannot be revoked before it expires;
//! a system that needs that keeps a list by [`crate::identity::Caller::session_id`].
//!
//! ```text
//! session=base64url(JSON of Session).base64url(HMAC-SHA-256)   HttpOnly, SameSite=Lax
//! csrf=base64url(HMAC-SHA-256 of the session id)               readable by scripts of our pages, SameSite=Strict
//! ```

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::Environment;
use serde::{Deserialize, Serialize};

use super::signing_key::SigningKey;

/// Longer cookies are rejected before they are decoded.
const COOKIE_CHARS_MAX: usize = 8 * 1024;

/// Issues and verifies session cookies.
#[derive(Clone, Debug)]
pub(super) struct SessionCookies {
    environment: Environment,
    key: SigningKey,
    life_ms: u64,
    is_secure: bool,
}

/// The content of the session cookie. The names are part of its format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) subject: String,
    pub(super) roles: Vec<String>,
    pub(super) ends_ms: u64,
}

impl SessionCookies {
    pub(super) fn new(
        environment: Environment,
        key: &SigningKey,
        life_minutes: u32,
        is_secure: bool,
    ) -> Self {
        let life_ms = u64::from(life_minutes) * 60 * 1000;
        Self { environment, key: key.derive("session"), life_ms, is_secure }
    }

    /// Starts a session.
    pub(super) fn start(&self, subject: &str, roles: Vec<String>) -> Session {
        let (high, low) = (self.environment.random(), self.environment.random());
        let id = format!("{high:016x}{low:016x}");
        let ends_ms = self.environment.now().0 + self.life_ms;
        Session { id, subject: subject.to_owned(), roles, ends_ms }
    }

    /// The session of a request; `None` without a valid cookie, or if it has expired.
    pub(super) fn open(&self, headers: &HeaderMap) -> Option<Session> {
        let text = cookie(headers, self.name())?;
        if text.len() > COOKIE_CHARS_MAX {
            return None;
        }
        let (body, signature) = text.split_once('.')?;
        // Verify before decoding: nothing unsigned reaches the JSON parser.
        if !self.key.verify_text(&[body.as_bytes()], signature) {
            return None;
        }
        let session: Session = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).ok()?).ok()?;
        (session.ends_ms > self.environment.now().0).then_some(session)
    }

    /// The cookies that start or extend a session.
    pub(super) fn cookies(&self, session: &Session) -> Vec<HeaderValue> {
        let body = URL_SAFE_NO_PAD.encode(serde_json::to_vec(session).unwrap_or_default());
        let signature = self.key.sign_text(&[body.as_bytes()]);
        self.cookie_pair(
            &format!("{body}.{signature}"),
            &self.csrf_token(&session.id),
            self.life_ms / 1000,
        )
    }

    /// The cookies that delete the session in the browser.
    pub(super) fn expired_cookies(&self) -> Vec<HeaderValue> {
        self.cookie_pair("", "", 0)
    }

    /// The same session with a later expiry, once half of its lifetime has passed. Not at every request, so
    /// that most responses set no cookie.
    pub(super) fn renewed(&self, session: &Session) -> Option<Session> {
        let now_ms = self.environment.now().0;
        // The id stays, so a list of revoked sessions still covers the renewed one.
        let is_half_over = session.ends_ms.saturating_sub(now_ms) < self.life_ms / 2;
        is_half_over.then(|| Session { ends_ms: now_ms + self.life_ms, ..session.clone() })
    }

    /// The CSRF token of a session. It is derived from the id, so it needs no storage and survives renewal.
    pub(super) fn csrf_token(&self, session_id: &str) -> String {
        self.key.sign_text(&[b"csrf", session_id.as_bytes()])
    }

    /// Whether this is the CSRF token of a session, in constant time.
    pub(super) fn verify_csrf_token(&self, session_id: &str, token: &str) -> bool {
        self.key.verify_text(&[b"csrf", session_id.as_bytes()], token)
    }

    /// The prefix `__Host-` makes browsers refuse a cookie of this name that another host of the same domain sets.
    fn name(&self) -> &'static str {
        if self.is_secure { "__Host-session" } else { "session" }
    }

    fn cookie_pair(&self, session: &str, token: &str, seconds: u64) -> Vec<HeaderValue> {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = self.name();
        // Scripts of our pages must read the CSRF token to send it in a header, so it is not `HttpOnly`.
        let lines = [
            format!("{name}={session}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"),
            format!("csrf={token}; Path=/; Max-Age={seconds}; SameSite=Strict{secure}"),
        ];
        lines.iter().filter_map(|line| HeaderValue::from_str(line).ok()).collect()
    }
}

/// The value of a cookie. `None` if it occurs twice, because another host of the domain may have set one of them.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(found, _)| *found == name).map(|(_, value)| value);
    let value = values.next()?;
    // Which of two would be sent first depends on the browser.
    values.next().is_none().then_some(value)
}
