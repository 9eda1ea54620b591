//! The routes of the sign-in at an issuer.
//!
//! They are visited by navigation, not by scripts, so a failure leads to the first page with a code instead of a
//! problem. The reason is in the log.

use axum::extract::State;
use axum::http::header::{HOST, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::error::OidcError;
use super::flow::{CallbackQuery, OidcFlow};
use super::return_path;
use crate::extract::{JsonBody, QueryParams};
use crate::identity::authenticate::Identity;
use crate::problem::{HttpResult, Problem, ProblemDocument};

/// The routes, part of [`crate::identity::session_routes`]. `own_path` is a further path of the callback, if there is
/// one.
pub(in crate::identity) fn oidc_routes(own_path: Option<&str>) -> OpenApiRouter<Identity> {
    let routes = OpenApiRouter::new()
        .routes(routes!(methods))
        .routes(routes!(start))
        .routes(routes!(callback));
    match own_path {
        Some(path) => routes.route(path, axum::routing::get(callback)),
        None => routes,
    }
}

/// How people can sign in here.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SignInMethods {
    /// The issuer at which people sign in by `/session/oidc`; absent if there is none.
    issuer: Option<String>,
}

/// Shows how people can sign in.
#[utoipa::path(get, path = "/session/methods", security(()), responses(
    (status = 200, body = SignInMethods),
))]
async fn methods(State(identity): State<Identity>) -> JsonBody<SignInMethods> {
    let issuer = identity.oidc().map(|flow| flow.issuer_name().to_owned());
    JsonBody(SignInMethods { issuer })
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct StartQuery {
    /// Path, query and fragment of the page to show afterwards; the first page by default.
    #[serde(rename = "return")]
    #[param(rename = "return")]
    return_path: Option<String>,
}

/// Sends the browser to the issuer to sign in.
#[utoipa::path(get, path = "/session/oidc", params(StartQuery), security(()), responses(
    (status = 303, description = "The issuer follows, or the first page with `signInError`."),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn start(
    State(identity): State<Identity>,
    uri: Uri,
    headers: HeaderMap,
    QueryParams(query): QueryParams<StartQuery>,
) -> HttpResult<Response> {
    let flow = require_flow(&identity)?;
    let page = return_path::parse(query.return_path.as_deref()).ok_or_else(|| {
        let detail = "The parameter 'return' names no page of this service; it is a path such as /#/settings.";
        Problem::bad_request("return_not_allowed", detail)
    })?;
    let host = requested_host(&uri, &headers);
    let redirect = flow.redirect(host).ok_or_else(|| {
        let detail = format!(
            "Sign-in is not set up for the host '{host}': Identity:RedirectUris has no address of it."
        );
        Problem::bad_request("redirect_not_allowed", detail)
    })?;
    match flow.start(redirect, page).await {
        Ok((url, cookie)) => Ok(navigate(&url, cookie.into_iter().collect())),
        Err(error) => Ok(failed(&error, Vec::new())),
    }
}

/// Takes the response of the issuer, starts a session and redirects to the page where the sign-in began.
#[utoipa::path(get, path = "/session/callback", params(CallbackQuery), security(()), responses(
    (status = 303, description = "Signed in; the page follows. Or the first page with `signInError`."),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
async fn callback(
    State(identity): State<Identity>,
    headers: HeaderMap,
    QueryParams(query): QueryParams<CallbackQuery>,
) -> HttpResult<Response> {
    let flow = require_flow(&identity)?;
    let result = match flow.finish(&headers, &query).await {
        Ok(result) => result,
        // The cookie stays: a forged response must not end the sign-in that the person has begun.
        Err(error) => return Ok(failed(&error, Vec::new())),
    };
    // A code works once, so the attempt is over either way.
    let mut cookies: Vec<HeaderValue> = flow.expired_cookie().into_iter().collect();
    let admitted = match result.person {
        Ok(person) => identity.admit(person).await.map_err(OidcError::NotAdmitted),
        Err(error) => Err(error),
    };
    match admitted {
        Ok(person) => {
            cookies.extend(identity.start_federated_session(person));
            Ok(navigate(&result.return_path, cookies))
        }
        Err(error) => Ok(failed(&error, cookies)),
    }
}

fn require_flow(identity: &Identity) -> HttpResult<&OidcFlow> {
    identity.oidc().ok_or_else(|| {
        let detail = "This service has no sign-in at an issuer: Identity:ClientId is not set.";
        Problem::new(StatusCode::NOT_FOUND, "sign_in_unavailable", detail)
    })
}

/// The host that a request is for: a header in HTTP/1.1, part of the address in HTTP/2.
pub(in crate::identity) fn requested_host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> &'a str {
    let header = headers.get(HOST).and_then(|host| host.to_str().ok());
    header.or_else(|| uri.authority().map(|authority| authority.as_str())).unwrap_or_default()
}

fn failed(error: &OidcError, cookies: Vec<HeaderValue>) -> Response {
    let code = error.code();
    tracing::warn!(code, "A sign-in failed: {error}");
    navigate(&format!("/?signInError={code}"), cookies)
}

fn navigate(location: &str, cookies: Vec<HeaderValue>) -> Response {
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    (StatusCode::SEE_OTHER, [(LOCATION, location.to_owned())], cookies).into_response()
}
