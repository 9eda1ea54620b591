//! Sign-in by a one-time code, sign-out, and who is signed in.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRequestParts, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use super::router::{CHAT_ADMIN_ROLE, ChatApi, percent_encoded};
use crate::domain::{ProfileView, UserName};
use crate::ephemeral::EphemeralStore as _;

/// Who wants a code.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StartBody {
    /// The user.
    user_name: String,
}

/// A code that was received.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct VerifyBody {
    /// The user.
    user_name: String,
    /// Six digits.
    code: String,
    /// Where the page goes on: a path of this service.
    return_url: Option<String>,
}

/// Where the page goes on.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NextUrl {
    /// A path of this service.
    next_url: String,
}

/// The address of the client; the unspecified one for requests without a socket.
pub(super) struct ClientAddress(IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let connected = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let unspecified = IpAddr::from([0, 0, 0, 0]);
        Ok(Self(connected.map_or(unspecified, |ConnectInfo(address)| address.ip())))
    }
}

/// Sends a one-time code to a user. The answer is the same whether or not there is such a user.
#[utoipa::path(post, path = "/api/auth/start", request_body = StartBody, security(()), responses(
    (status = 202, description = "If there is such a user, a code is on its way."),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn start(
    State(api): State<ChatApi>,
    address: ClientAddress,
    JsonBody(body): JsonBody<StartBody>,
) -> HttpResult<StatusCode> {
    let name = user_name(&body.user_name)?;
    limit(&api, &address).await?;
    require_codes(&api)?;
    api.chat.start_sign_in(&name).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Starts a session with a one-time code.
#[utoipa::path(post, path = "/api/auth/verify", request_body = VerifyBody, security(()), responses(
    (status = 200, body = NextUrl),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 429, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn verify(
    State(api): State<ChatApi>,
    address: ClientAddress,
    JsonBody(body): JsonBody<VerifyBody>,
) -> HttpResult<Response> {
    let name = user_name(&body.user_name)?;
    limit(&api, &address).await?;
    require_codes(&api)?;
    api.chat.verify_sign_in(&name, &body.code).await?;
    let is_admin = api.chat.core.is_admin(&name);
    let roles: &[&str] = if is_admin { &[CHAT_ADMIN_ROLE] } else { &[] };
    let roles: Vec<String> = roles.iter().map(|role| (*role).to_owned()).collect();
    let cookies = api.server.identity().start_session(name.as_str(), &roles);
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)));
    let next_url = local_path(body.return_url.as_deref());
    Ok((cookies, JsonBody(NextUrl { next_url })).into_response())
}

/// Ends the session, also for copies of its cookie.
#[utoipa::path(post, path = "/api/auth/logout", responses(
    (status = 200, description = "Signed out."),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn logout(State(api): State<ChatApi>, caller: Caller) -> HttpResult<Response> {
    let cookies = api.server.identity().end_session(&caller).await?;
    let cookies = cookies.into_iter().map(|cookie| (SET_COOKIE, cookie));
    Ok((StatusCode::OK, AppendHeaders(cookies)).into_response())
}

/// Who is signed in.
#[utoipa::path(get, path = "/api/auth/me", responses(
    (status = 200, body = ProfileView),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn me(
    State(api): State<ChatApi>,
    caller: Caller,
) -> HttpResult<JsonBody<ProfileView>> {
    let member = api.member(&caller).await?;
    Ok(JsonBody(ProfileView::from(member.user())))
}

/// Where the page goes on after a sign-in at the issuer.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct IssuerQuery {
    /// A path of this service.
    #[serde(rename = "returnUrl")]
    #[param(rename = "returnUrl")]
    return_url: Option<String>,
}

/// Sends the browser to the issuer; the route of the kit takes over.
#[utoipa::path(get, path = "/api/auth/signin/entra", params(IssuerQuery), security(()), responses(
    (status = 302, description = "The sign-in at the issuer follows."),
))]
pub(super) async fn by_issuer(QueryParams(query): QueryParams<IssuerQuery>) -> Response {
    let page = percent_encoded(&local_path(query.return_url.as_deref()));
    (StatusCode::FOUND, [(LOCATION, format!("/session/oidc?return={page}"))]).into_response()
}

/// How people sign in here, and what the page does by itself.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignInWays {
    /// By a one-time code.
    one_time_code: bool,
    /// By a one-time code also after the issuer's person was not admitted.
    one_time_code_after_denial: bool,
    /// By the issuer, without a click.
    automatic: bool,
    /// Without a click only once in a browser session.
    once_per_session: bool,
    /// The cookie that remembers it.
    attempt_cookie: String,
}

/// Shows how people sign in.
#[utoipa::path(get, path = "/api/auth/ways", security(()), responses(
    (status = 200, body = SignInWays),
))]
pub(super) async fn ways(State(api): State<ChatApi>) -> JsonBody<SignInWays> {
    let entra = &api.chat.settings().entra_id;
    let one_time_code = entra.has_codes();
    JsonBody(SignInWays {
        one_time_code,
        one_time_code_after_denial: one_time_code && entra.fallback.otp_for_unauthorized_users,
        automatic: entra.is_enabled() && entra.automatic_sso.enable,
        once_per_session: entra.automatic_sso.attempt_once_per_session,
        attempt_cookie: entra.automatic_sso.attempt_cookie_name.clone(),
    })
}

/// The first page, for people whom the issuer sends back after they have signed out there.
pub(super) async fn signed_out() -> Response {
    (StatusCode::FOUND, [(LOCATION, "/?signedOut=1")]).into_response()
}

fn require_codes(api: &ChatApi) -> HttpResult<()> {
    if api.chat.settings().entra_id.has_codes() {
        return Ok(());
    }
    Err(Problem::not_found("One-time codes are off; sign in by the issuer."))
}

fn user_name(text: &str) -> HttpResult<UserName> {
    UserName::parse(text).map_err(|why| Problem::invalid_field("userName", "invalid", why))
}

/// Every request to sign in counts, by the address of the client.
async fn limit(api: &ChatApi, ClientAddress(address): &ClientAddress) -> HttpResult<()> {
    let core = &api.chat.core;
    let settings = &core.settings.rate_limiting.auth;
    let window = Duration::from_secs(settings.window_seconds);
    let key = format!("auth {address}");
    let taken = core.limits.take_permit(&key, settings.permit_limit, window).await;
    if taken.unwrap_or(false) {
        return Ok(());
    }
    let detail = format!("More than {} sign-ins in {} s.", settings.permit_limit, window.as_secs());
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
    Err(problem.retry_after(window))
}

/// Only paths of this service: a link must not lead from our sign-in to another site.
pub(super) fn local_path(url: Option<&str>) -> String {
    let is_local = |url: &&str| {
        url.starts_with('/')
            && !url.starts_with("//")
            && !url.contains(['\\', '\n', '\r', '\t'])
            && url.is_ascii()
    };
    url.filter(is_local).unwrap_or("/chat").to_owned()
}

/// The value of a cookie of a request.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(axum::http::header::COOKIE).into_iter();
    let pairs = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    let mut pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::local_path;

    #[test]
    fn only_local_paths_are_followed() {
        assert_eq!(local_path(Some("/chat?room=ops")), "/chat?room=ops");
        for wrong in
            [None, Some(""), Some("//evil.example"), Some("https://evil.example"), Some("/\\evil")]
        {
            assert_eq!(local_path(wrong), "/chat", "{wrong:?}");
        }
    }
}
