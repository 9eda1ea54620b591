//! Sessions of the explorer: a cookie in exchange for the account key or for the token printed at the start.
//!
//! Owns which sessions are open, and the checks of a request that comes with a cookie. A browser sends cookies with the
//! requests of any page, and a name can be made to point at this machine (DNS rebinding). So a request must name a host
//! that is ours, must come from our own pages, and must carry the session's token in a header that only they can read.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::header::{COOKIE, HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

use crate::http::{ApiError, ApiResult, header};
use crate::route::{ContainerRoute, RequestPath, Route};

/// How long a session lasts, in seconds.
const SESSION_SECONDS: u64 = 12 * 3600;
/// The oldest session ends when there are more, so that a script that signs in again and again uses bounded memory.
const SESSIONS_MAX: usize = 64;
/// Cookies are shared by all ports of a host, so their names have the port.
const COOKIE_PREFIX: &str = "planisphere-session-";

/// The open sessions.
pub(crate) struct Sessions {
    /// Printed at the start; whoever reads it may sign in.
    start_token: String,
    open: Mutex<Vec<OpenSession>>,
}

/// One session.
#[derive(Clone)]
pub(crate) struct OpenSession {
    id: String,
    /// What pages send back in a header.
    pub(crate) csrf_token: String,
    ends_at: u64,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Sessions")
    }
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self { start_token: random_text(), open: Mutex::default() }
    }

    pub(crate) fn start_token(&self) -> &str {
        &self.start_token
    }

    pub(crate) fn is_start_token(&self, token: &str) -> bool {
        is_same(token, &self.start_token)
    }

    /// Opens a session and returns it with the value of its `set-cookie`.
    pub(crate) fn open(
        &self,
        headers: &HeaderMap,
        is_https: bool,
        now: u64,
    ) -> (OpenSession, String) {
        let session = OpenSession {
            id: random_text(),
            csrf_token: random_text(),
            ends_at: now.saturating_add(SESSION_SECONDS),
        };
        let mut open = self.lock();
        open.retain(|session| session.ends_at > now);
        if open.len() >= SESSIONS_MAX {
            open.remove(0);
        }
        open.push(session.clone());
        let secure = if is_https { "; Secure" } else { "" };
        let name = cookie_name(headers);
        let id = &session.id;
        let cookie = format!(
            "{name}={id}; Path=/; Max-Age={SESSION_SECONDS}; HttpOnly; SameSite=Strict{secure}"
        );
        (session, cookie)
    }

    /// Ends the session of a request and returns the `set-cookie` that removes it.
    pub(crate) fn close(&self, headers: &HeaderMap) -> String {
        if let Some(id) = cookie_value(headers) {
            self.lock().retain(|session| !is_same(&session.id, id));
        }
        format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict", cookie_name(headers))
    }

    /// The session that the cookie of a request names; `None` without a cookie or after its end.
    pub(crate) fn find(&self, headers: &HeaderMap, now: u64) -> Option<OpenSession> {
        let id = cookie_value(headers)?;
        let found = self.lock().iter().find(|session| is_same(&session.id, id)).cloned();
        found.filter(|session| session.ends_at > now)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OpenSession>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses a request whose host is not ours or which comes from a page of another site.
pub(crate) fn check_same_site(headers: &HeaderMap, host_names: &[String]) -> ApiResult<()> {
    let host = text(headers, HOST.as_str()).unwrap_or_default();
    if !is_own_host(host, host_names) {
        return Err(ApiError::forbidden(format!(
            "The explorer is not served under the name '{host}'. Use localhost, an IP address, or the host of \
             --public-endpoint.",
        )));
    }
    let is_same_origin = match text(headers, ORIGIN.as_str()) {
        Some(origin) => origin.split_once("://").is_some_and(|(_, authority)| authority == host),
        None => !matches!(text(headers, "sec-fetch-site"), Some("cross-site" | "same-site")),
    };
    if is_same_origin {
        return Ok(());
    }
    Err(ApiError::forbidden("The explorer accepts requests of its own pages only."))
}

/// Refuses a request of a session that lacks the token of its pages, or that changes something while only reading is
/// allowed.
pub(crate) fn check_session_request(session: &OpenSession, headers: &HeaderMap) -> ApiResult<()> {
    let token = text(headers, header::SESSION_CSRF.as_str()).unwrap_or_default();
    if !is_same(token, &session.csrf_token) {
        return Err(ApiError::forbidden(
            "The header x-planisphere-csrf is missing or wrong. Read it from /_planisphere/session.",
        ));
    }
    Ok(())
}

/// Refuses a request that could change anything.
pub(crate) fn check_reads_only(
    method: &Method,
    headers: &HeaderMap,
    path: &RequestPath<'_>,
) -> ApiResult<()> {
    let flag = |name: &HeaderName| {
        text(headers, name.as_str()).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    };
    let is_query = flag(&header::IS_QUERY) || flag(&header::IS_QUERY_OTHER);
    // The order of the handlers: on items the headers of a plan and of a batch come first. Other feeds know queries
    // only; elsewhere a POST executes, deletes or creates, whatever its headers say.
    let is_query = match path.route() {
        Some(Route::Container(_, _, ContainerRoute::Items)) => {
            (is_query || flag(&header::IS_QUERY_PLAN)) && !flag(&header::IS_BATCH)
        }
        Some(route) => is_query && route.is_feed(),
        None => false,
    };
    if method.is_safe() || (*method == Method::POST && (is_query || path.is_question())) {
        return Ok(());
    }
    Err(ApiError::forbidden(
        "The explorer only reads: the server was started with --explorer-read-only.",
    ))
}

/// An address cannot be rebound, because no name is looked up for it. Of the names, only ours are.
fn is_own_host(host: &str, host_names: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let name = name.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok()
        || host_names.iter().any(|own| own.eq_ignore_ascii_case(&name))
}

fn cookie_name(headers: &HeaderMap) -> String {
    let host = text(headers, HOST.as_str()).unwrap_or_default();
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let digits: String = port.chars().filter(char::is_ascii_digit).collect();
    format!("{COOKIE_PREFIX}{digits}")
}

fn cookie_value(headers: &HeaderMap) -> Option<&str> {
    let name = cookie_name(headers);
    let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(';')).find_map(|pair| {
        let (found, value) = pair.trim().split_once('=')?;
        (found == name).then_some(value)
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Compares in constant time: codes of the texts are compared, whatever their key is.
fn is_same(left: &str, right: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &[0; 32]);
    let code = hmac::sign(&key, right.as_bytes());
    hmac::verify(&key, left.as_bytes(), code.as_ref()).is_ok()
}

/// 192 bits of the operating system, and not of the environment, because what a seed reproduces is not secret.
fn random_text() -> String {
    let mut bytes = [0; 24];
    SystemRandom::new().fill(&mut bytes).expect("the operating system has randomness to give");
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::is_own_host;

    #[test]
    fn names_that_could_be_rebound_are_not_ours() {
        let own = ["db.example".to_owned()];
        for host in [
            "localhost:8081",
            "127.0.0.1:8081",
            "[::1]:8081",
            "10.0.0.7",
            "a.localhost",
            "DB.example:1",
        ] {
            assert!(is_own_host(host, &own), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example:8081", "127.0.0.1.nip.io", "[x]"] {
            assert!(!is_own_host(host, &own), "{host}");
        }
    }
}
