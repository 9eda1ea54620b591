//! Protection of sessions against cross-site request forgery (CSRF): a browser sends our cookies with requests of any
//! page.
//!
//! Owns the two checks of requests that change something with a session: the origin must be ours, and a header must
//! contain the session's CSRF token, which only a page of our origin can read. Requests with bearer tokens need
//! neither, because a browser never adds those by itself.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};

use super::session::{Session, SessionCookies};
use crate::problem::Problem;

/// The header with the CSRF token of the session.
const X_CSRF_TOKEN: &str = "x-csrf-token";

pub(super) fn check(
    method: &Method,
    headers: &HeaderMap,
    sessions: &SessionCookies,
    session: &Session,
    allowed_origins: &[String],
) -> Result<(), Problem> {
    if method.is_safe() {
        return Ok(());
    }
    check_origin(headers, allowed_origins)?;
    let token = text(headers, X_CSRF_TOKEN).unwrap_or_default();
    if !sessions.verify_csrf_token(&session.id, token) {
        let detail = "Send the value of the cookie 'csrf' in the header x-csrf-token.";
        return Err(Problem::forbidden("csrf_token_missing", detail));
    }
    Ok(())
}

/// Refuses requests of pages of other sites.
pub(super) fn check_origin(headers: &HeaderMap, allowed_origins: &[String]) -> Result<(), Problem> {
    if is_our_origin(headers, allowed_origins) {
        return Ok(());
    }
    let detail = "Changes are taken from pages of this service only.";
    Err(Problem::forbidden("foreign_origin", detail))
}

/// Whether the browser says that the page is ours. A client that sends neither header is checked by its token alone.
fn is_our_origin(headers: &HeaderMap, allowed: &[String]) -> bool {
    if let Some(origin) = headers.get(ORIGIN) {
        let Ok(origin) = origin.to_str() else { return false };
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        // Compared with Host instead of a setting, so that a service works under any name it is reached by.
        let is_own = authority.is_some() && authority == text(headers, HOST.as_str());
        return is_own || allowed.iter().any(|one| one.eq_ignore_ascii_case(origin));
    }
    match headers.get("sec-fetch-site") {
        // `none` is a request that the person started, for example from a bookmark.
        Some(site) => matches!(site.as_bytes(), b"same-origin" | b"none"),
        None => true,
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
