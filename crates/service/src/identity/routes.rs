//! The routes of sessions: begin one with a token, who am I, sign out, and the one-time link of demo mode.
//!
//! Owns these four, the same in every system that has pages.

use axum::extract::State;
use axum::http::header::{LOCATION, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::identify::Identity;
use super::principal::Principal;
use crate::http::{Json, Outcome, Problem, ProblemDocument, Query};

/// The routes, to be merged into those of a system.
#[must_use]
pub fn session_routes(identity: &Identity) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(show, begin))
        .routes(routes!(sign_in))
        .routes(routes!(sign_out))
        .with_state(identity.clone())
}

/// Who is signed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SignedIn {
    /// The caller.
    subject: String,
    /// What it may be.
    roles: Vec<String>,
    /// What pages send in `x-csrf-token` with changing requests; none for bearer tokens.
    csrf_token: Option<String>,
}

/// Tells who is signed in.
#[utoipa::path(get, path = "/session", responses(
    (status = 200, body = SignedIn),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn show(State(identity): State<Identity>, caller: Principal) -> Json<SignedIn> {
    Json(SignedIn::of(&identity, &caller))
}

/// Begins a session with a bearer token: a page then needs the token no more. It lasts as sessions do
/// (`Identity:SessionMinutes`), also when the token ends before.
#[utoipa::path(post, path = "/session", responses(
    (status = 200, body = SignedIn),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn begin(
    State(identity): State<Identity>,
    caller: Principal,
    headers: HeaderMap,
) -> Outcome<Response> {
    let (caller, cookies) = identity.exchange(&caller, &headers)?;
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    Ok((cookies, Json(SignedIn::of(&identity, &caller))).into_response())
}

impl SignedIn {
    fn of(identity: &Identity, caller: &Principal) -> Self {
        Self {
            subject: caller.subject().to_owned(),
            roles: caller.roles().to_vec(),
            csrf_token: identity.csrf_token(caller),
        }
    }
}

#[derive(Debug, Deserialize)]
struct SignInQuery {
    /// The text of the link.
    link: Option<String>,
}

/// Begins a session by a one-time link and goes to the first page. Demo mode only.
#[utoipa::path(get, path = "/session/sign-in", params(("link" = String, Query)), responses(
    (status = 303, description = "signed in"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn sign_in(
    State(identity): State<Identity>,
    Query(query): Query<SignInQuery>,
) -> Outcome<Response> {
    let sign_in = identity.redeem(query.link.as_deref().unwrap_or_default()).ok_or_else(|| {
        let detail = "The link is not ours, was used before or has ended. Ask for a new one.";
        Problem::unauthorized("invalid_link", detail).header(WWW_AUTHENTICATE, "Bearer")
    })?;
    let cookies = identity.start_session(&sign_in.subject, &sign_in.roles);
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    Ok((StatusCode::SEE_OTHER, [(LOCATION, "/")], cookies).into_response())
}

/// Ends the session in this browser.
#[utoipa::path(post, path = "/session/sign-out", responses(
    (status = 204, description = "signed out"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn sign_out(State(identity): State<Identity>, _caller: Principal) -> Response {
    let cookies = identity.end_session().into_iter().map(|cookie| (SET_COOKIE, cookie));
    (StatusCode::NO_CONTENT, AppendHeaders(cookies)).into_response()
}
