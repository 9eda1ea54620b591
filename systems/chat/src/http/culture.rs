//! The language of the page.

use std::collections::BTreeMap;

use axum::http::header::{ACCEPT_LANGUAGE, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, Problem, ProblemDocument};

use super::auth::cookie;
use crate::localization::{choose_language, find_language, texts};

const COOKIE: &str = "culture";

/// The texts of a language.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct StringsBody {
    culture: &'static str,
    strings: BTreeMap<String, String>,
}

/// A language.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct CultureBody {
    culture: &'static str,
}

/// The wanted language.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(super) struct SetCultureBody {
    /// One of en, pl, de, cs, sk, uk, be, lt, ru.
    culture: String,
}

/// The texts of the page, in the language of the cookie or of the browser.
#[utoipa::path(get, path = "/api/localization/strings", security(()), responses(
    (status = 200, body = StringsBody),
))]
pub(super) async fn strings(headers: HeaderMap) -> JsonBody<StringsBody> {
    let culture = language_of(&headers);
    JsonBody(StringsBody { culture, strings: texts(culture) })
}

/// The language of the caller.
#[utoipa::path(get, path = "/culture/current", security(()),
    responses((status = 200, body = CultureBody)))]
pub(super) async fn current(headers: HeaderMap) -> JsonBody<CultureBody> {
    JsonBody(CultureBody { culture: language_of(&headers) })
}

/// Remembers a language in a cookie.
#[utoipa::path(post, path = "/culture/set", request_body = SetCultureBody, security(()), responses(
    (status = 204),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn set(JsonBody(body): JsonBody<SetCultureBody>) -> HttpResult<Response> {
    let language = find_language(&body.culture).ok_or_else(|| {
        let why = "one of en, pl, de, cs, sk, uk, be, lt, ru";
        Problem::invalid_field("culture", "unknown", why)
    })?;
    let line = format!("{COOKIE}={language}; Path=/; Max-Age=31536000; SameSite=Lax");
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, line)]).into_response())
}

fn language_of(headers: &HeaderMap) -> &'static str {
    let chosen = cookie(headers, COOKIE).and_then(find_language);
    let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|line| line.to_str().ok());
    chosen.unwrap_or_else(|| choose_language(accepted.unwrap_or_default()))
}
