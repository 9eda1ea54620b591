//! Sessions of browsers: a signed cookie that no script can read, and a token against other sites.
//!
//! Owns the cookies and their life. A session is not stored: its cookie says who it is, signed, with its end. Does not
//! own a list of ended sessions; a system that needs one has [`crate::identity::Principal::session_id`].

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::Environment;
use serde::{Deserialize, Serialize};

use super::signing_key::SigningKey;

/// Longer cookies are not even decoded.
const COOKIE_CHARS_MAX: usize = 8 * 1024;

/// Makes and opens sessions.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    environment: Environment,
    key: SigningKey,
    life_ms: u64,
    is_secure: bool,
}

/// What the cookie says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) subject: String,
    pub(crate) roles: Vec<String>,
    pub(crate) ends_ms: u64,
}

impl Sessions {
    pub(crate) fn new(
        environment: Environment,
        key: &SigningKey,
        life_minutes: u32,
        is_secure: bool,
    ) -> Self {
        let life_ms = u64::from(life_minutes) * 60 * 1000;
        Self { environment, key: key.derive("session"), life_ms, is_secure }
    }

    /// A new session.
    pub(crate) fn start(&self, subject: &str, roles: Vec<String>) -> Session {
        let (high, low) = (self.environment.random(), self.environment.random());
        let id = format!("{high:016x}{low:016x}");
        let ends_ms = self.environment.now().0 + self.life_ms;
        Session { id, subject: subject.to_owned(), roles, ends_ms }
    }

    /// The session of a request; none without a cookie, or with one that is not ours or over.
    pub(crate) fn open(&self, headers: &HeaderMap) -> Option<Session> {
        let text = cookie(headers, self.name())?;
        if text.len() > COOKIE_CHARS_MAX {
            return None;
        }
        let (body, signature) = text.split_once('.')?;
        if !self.key.verify_text(&[body.as_bytes()], signature) {
            return None;
        }
        let session: Session = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).ok()?).ok()?;
        (session.ends_ms > self.environment.now().0).then_some(session)
    }

    /// The cookies that begin or go on with a session.
    pub(crate) fn cookies(&self, session: &Session) -> Vec<HeaderValue> {
        let body = URL_SAFE_NO_PAD.encode(serde_json::to_vec(session).unwrap_or_default());
        let signature = self.key.sign_text(&[body.as_bytes()]);
        self.both(&format!("{body}.{signature}"), &self.token(&session.id), self.life_ms / 1000)
    }

    /// The cookies that end it in the browser.
    pub(crate) fn ending(&self) -> Vec<HeaderValue> {
        self.both("", "", 0)
    }

    /// The same session with a later end, once half of its life is over.
    pub(crate) fn renewed(&self, session: &Session) -> Option<Session> {
        let now_ms = self.environment.now().0;
        let is_half_over = session.ends_ms.saturating_sub(now_ms) < self.life_ms / 2;
        is_half_over.then(|| Session { ends_ms: now_ms + self.life_ms, ..session.clone() })
    }

    /// What a page must send along to show that it was not written by another site.
    pub(crate) fn token(&self, session_id: &str) -> String {
        self.key.sign_text(&[b"csrf", session_id.as_bytes()])
    }

    /// Whether that came along, in constant time.
    pub(crate) fn has_token(&self, session_id: &str, token: &str) -> bool {
        self.key.verify_text(&[b"csrf", session_id.as_bytes()], token)
    }

    /// The prefix makes browsers refuse the cookie of a neighbouring host.
    fn name(&self) -> &'static str {
        if self.is_secure { "__Host-session" } else { "session" }
    }

    fn both(&self, session: &str, token: &str, seconds: u64) -> Vec<HeaderValue> {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = self.name();
        // The token is for the scripts of our pages, so they can read it.
        let lines = [
            format!("{name}={session}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"),
            format!("csrf={token}; Path=/; Max-Age={seconds}; SameSite=Strict{secure}"),
        ];
        lines.iter().filter_map(|line| HeaderValue::from_str(line).ok()).collect()
    }
}

/// The value of a cookie; none if it comes twice, because then somebody else may have set one.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(found, _)| *found == name).map(|(_, value)| value);
    let value = values.next()?;
    values.next().is_none().then_some(value)
}
