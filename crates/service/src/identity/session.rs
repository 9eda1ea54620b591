//! Browser sessions: a signed cookie that no script can read, and a CSRF token.
//!
//! Owns the cookies and their lifetime: a session ends some time after its last use, and at the latest some time after
//! its begin, however much it is used. A session is not stored: the signed cookie contains the caller and the expiry,
//! so every instance that has the secret accepts it. Those that were ended before are in `revoked_sessions`.
//!
//! ```text
//! session=base64url(JSON of Session).base64url(HMAC-SHA-256)   HttpOnly, SameSite=Lax
//! csrf=base64url(HMAC-SHA-256 of the session id)               readable by scripts of our pages, SameSite=Strict
//! ```

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
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
    /// The longest life of a session from its begin.
    life_max_ms: u64,
    is_secure: bool,
}

/// The content of the session cookie. The names are part of its format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) subject: String,
    /// What people call the subject, for display only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) roles: Vec<String>,
    /// Whether the person signed in at the issuer, where a session of its own may go on.
    #[serde(default)]
    pub(super) is_federated: bool,
    /// Cookies of earlier versions have no begin. They are not accepted, so that their holders sign in once more.
    pub(super) began_ms: u64,
    pub(super) ends_ms: u64,
}

impl SessionCookies {
    pub(super) fn new(
        environment: Environment,
        key: &SigningKey,
        (life_minutes, life_max_minutes): (u32, u32),
        is_secure: bool,
    ) -> Self {
        let milliseconds = |minutes: u32| u64::from(minutes) * 60 * 1000;
        let (life_ms, life_max_ms) = (milliseconds(life_minutes), milliseconds(life_max_minutes));
        Self { environment, key: key.derive("session"), life_ms, life_max_ms, is_secure }
    }

    /// Starts a session.
    pub(super) fn start(&self, subject: &str, roles: Vec<String>) -> Session {
        let (high, low) = (self.environment.random(), self.environment.random());
        let id = format!("{high:016x}{low:016x}");
        let began_ms = self.environment.now().0;
        let ends_ms = began_ms + self.life_ms.min(self.life_max_ms);
        let (subject, name, is_federated) = (subject.to_owned(), None, false);
        Session { id, subject, name, roles, is_federated, began_ms, ends_ms }
    }

    /// When the session ends at the latest, however often it is renewed.
    pub(super) fn latest_end_ms(&self, session: &Session) -> u64 {
        session.began_ms.saturating_add(self.life_max_ms)
    }

    /// The session of a request; `None` without a valid cookie, or if it has expired.
    pub(super) fn open(&self, headers: &HeaderMap) -> Option<Session> {
        let text = cookie(headers, self.name())?;
        if text.len() > COOKIE_CHARS_MAX {
            return None;
        }
        let session: Session = self.key.verify_json(text)?;
        // The setting may have become shorter after the cookie was written.
        let ends_ms = session.ends_ms.min(self.latest_end_ms(&session));
        (ends_ms > self.environment.now().0).then_some(session)
    }

    /// The cookies that start or extend a session.
    pub(super) fn cookies(&self, session: &Session) -> Vec<HeaderValue> {
        let left_ms = session.ends_ms.saturating_sub(self.environment.now().0);
        let csrf_token = self.csrf_token(&session.id);
        self.cookie_pair(&self.key.sign_json(session), &csrf_token, left_ms / 1000)
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
        let ends_ms = (now_ms + self.life_ms).min(self.latest_end_ms(session));
        // Near its latest end there is nothing left to extend.
        let is_later = ends_ms > session.ends_ms;
        (is_half_over && is_later).then(|| Session { ends_ms, ..session.clone() })
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
    pub(super) fn name(&self) -> &'static str {
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
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(found, _)| *found == name).map(|(_, value)| value);
    let value = values.next()?;
    // Which of two would be sent first depends on the browser.
    values.next().is_none().then_some(value)
}
