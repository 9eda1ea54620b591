//! Protection of sessions against other sites: a browser sends cookies whoever wrote the page.
//!
//! Owns the two checks of changing requests that come with a session: the origin must be ours, and the token of the
//! session must be in a header. Requests with bearer tokens need neither.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};

use super::session::{Session, Sessions};
use crate::http::Problem;

/// The header for the token of the session.
const X_CSRF_TOKEN: &str = "x-csrf-token";

pub(crate) fn check(
    method: &Method,
    headers: &HeaderMap,
    sessions: &Sessions,
    session: &Session,
    allowed_origins: &[String],
) -> Result<(), Problem> {
    if method.is_safe() {
        return Ok(());
    }
    check_origin(headers, allowed_origins)?;
    let token = text(headers, X_CSRF_TOKEN).unwrap_or_default();
    if !sessions.has_token(&session.id, token) {
        let detail = "Send the value of the cookie 'csrf' in the header x-csrf-token.";
        return Err(Problem::forbidden("csrf_token_missing", detail));
    }
    Ok(())
}

/// Refuses pages of other sites.
pub(crate) fn check_origin(headers: &HeaderMap, allowed_origins: &[String]) -> Result<(), Problem> {
    if is_our_origin(headers, allowed_origins) {
        return Ok(());
    }
    let detail = "Changes are taken from pages of this service only.";
    Err(Problem::forbidden("foreign_origin", detail))
}

/// Whether the page is ours, as far as the browser says. One that says nothing is judged by its token.
fn is_our_origin(headers: &HeaderMap, allowed: &[String]) -> bool {
    if let Some(origin) = headers.get(ORIGIN) {
        let Ok(origin) = origin.to_str() else { return false };
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        let is_own = authority.is_some() && authority == text(headers, HOST.as_str());
        return is_own || allowed.iter().any(|one| one.eq_ignore_ascii_case(origin));
    }
    match headers.get("sec-fetch-site") {
        Some(site) => matches!(site.as_bytes(), b"same-origin" | b"none"),
        None => true,
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
