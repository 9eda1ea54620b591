//! The session routes: start a session with a token, show the caller, sign out, and the one-time link of demo mode.
//!
//! The same in every system that has pages.

use axum::extract::State;
use axum::http::header::{LOCATION, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::authenticate::Identity;
use super::caller::Caller;
use super::oidc::{OidcFlow, oidc_routes, requested_host};
use crate::extract::{JsonBody, QueryParams};
use crate::problem::{HttpResult, Problem, ProblemDocument};

/// The session routes, to be merged into the routes of a system.
#[must_use]
pub fn session_routes(identity: &Identity) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(show, begin))
        .routes(routes!(sign_in))
        .routes(routes!(sign_out))
        .merge(oidc_routes(identity.oidc().and_then(OidcFlow::callback_path)))
        .with_state(identity.clone())
}

/// The caller and its CSRF token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SignedIn {
    /// The subject of the caller.
    subject: String,
    /// What people call the caller, for display only; absent if the issuer gave no name.
    name: Option<String>,
    /// The roles of the caller.
    roles: Vec<String>,
    /// The value for the header `x-csrf-token` of requests that change something; absent for bearer tokens.
    csrf_token: Option<String>,
}

/// Shows the caller.
#[utoipa::path(get, path = "/session", responses(
    (status = 200, body = SignedIn),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn show(State(identity): State<Identity>, caller: Caller) -> JsonBody<SignedIn> {
    JsonBody(SignedIn::new(&identity, &caller))
}

/// Starts a session with a bearer token, so that a page need not keep the token. The session has its own lifetime
/// (`Identity:SessionMinutes`), even if the token expires before.
#[utoipa::path(post, path = "/session", responses(
    (status = 200, body = SignedIn),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn begin(
    State(identity): State<Identity>,
    caller: Caller,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let (caller, cookies) = identity.exchange(&caller, &headers)?;
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    Ok((cookies, JsonBody(SignedIn::new(&identity, &caller))).into_response())
}

impl SignedIn {
    fn new(identity: &Identity, caller: &Caller) -> Self {
        Self {
            subject: caller.subject().to_owned(),
            name: caller.name().map(str::to_owned),
            roles: caller.roles().to_vec(),
            csrf_token: identity.csrf_token(caller),
        }
    }
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct SignInQuery {
    /// The signed text of the link.
    #[param(required = true)]
    link: Option<String>,
}

/// Starts a session by a one-time link and redirects to the first page. Demo mode only.
#[utoipa::path(get, path = "/session/sign-in", params(SignInQuery), security(()), responses(
    (status = 303, description = "Signed in; the first page follows."),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn sign_in(
    State(identity): State<Identity>,
    QueryParams(query): QueryParams<SignInQuery>,
) -> HttpResult<Response> {
    let sign_in = identity.redeem(query.link.as_deref().unwrap_or_default()).ok_or_else(|| {
        let detail = "The link is invalid, was used before or has expired. Ask for a new one.";
        Problem::unauthorized("invalid_link", detail).header(WWW_AUTHENTICATE, "Bearer")
    })?;
    let cookies = identity.start_session(&sign_in.subject, &sign_in.roles);
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    Ok((StatusCode::SEE_OTHER, [(LOCATION, "/")], cookies).into_response())
}

/// What is left to do after signing out.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SignedOut {
    /// The address at which the person signs out of the issuer too. A page that follows it returns to the first page.
    end_session_url: String,
}

/// Ends the session: this cookie and every copy of it are refused from now on, and open streams of the session end.
#[utoipa::path(post, path = "/session/sign-out", responses(
    (status = 200, body = SignedOut, description = "Signed out here; the issuer has a sign-out of its own."),
    (status = 204, description = "Signed out."),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn sign_out(
    State(identity): State<Identity>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let cookies = identity.end_session(&caller).await?;
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    let host = requested_host(&uri, &headers);
    Ok(match identity.end_session_url(&caller, host).await {
        Some(end_session_url) => (cookies, JsonBody(SignedOut { end_session_url })).into_response(),
        None => (StatusCode::NO_CONTENT, cookies).into_response(),
    })
}
