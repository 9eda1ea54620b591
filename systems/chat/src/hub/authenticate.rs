//! Who connects: the cookie of a session, or a bearer token, which browsers can only send in the query.
//!
//! A negotiation is a POST without the CSRF header, because the official clients send none. It changes nothing, and the
//! hub checks the origin of every request, so a page of another site cannot use a visitor's cookie.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use service::http::{HttpServer, Problem};
use service::identity::{Authentication, CallerEnd};

use crate::chat::Chat;
use crate::ephemeral::EphemeralStore as _;
use crate::error::{Error, ErrorKind};

/// Requests to open connections, of one user in ten seconds.
const OPENINGS_MAX: u32 = 100;
const WINDOW: Duration = Duration::from_secs(10);

/// The user of a connection.
#[derive(Clone, Debug)]
pub(super) struct HubUser(pub(super) String);

/// The end of the credentials of a connection.
#[derive(Clone, Debug)]
pub(super) struct HubCredentials(pub(super) CallerEnd);

/// What the layer needs.
#[derive(Clone)]
pub(super) struct HubGate {
    pub(super) chat: Chat,
    pub(super) server: HttpServer,
}

/// Lets requests of users through.
pub(super) async fn authenticate(
    State(gate): State<HubGate>,
    mut request: Request,
    next: Next,
) -> Response {
    // A browser asks before a page of another origin connects; the hub answers that without a user.
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    let headers = with_query_token(request.headers(), request.uri());
    let authentication = gate.server.identity().identify(&Method::GET, &headers).await;
    let caller = match &authentication {
        Authentication::Authenticated(caller) => caller.clone(),
        Authentication::Rejected(problem) => return problem.clone().into_response(),
        Authentication::Anonymous => {
            let detail = "Sign in before you connect.";
            return Problem::unauthorized("unauthenticated", detail).into_response();
        }
    };
    let member = match gate.chat.member(caller.subject()).await {
        Ok(member) => member,
        Err(error) => return Problem::from(error).into_response(),
    };
    if request.uri().path().ends_with("/negotiate") {
        let key = format!("negotiate {}", member.name());
        let taken = gate.chat.core.limits.take_permit(&key, OPENINGS_MAX, WINDOW).await;
        if !taken.unwrap_or(false) {
            let text = format!("more than {OPENINGS_MAX} connections in {} s", WINDOW.as_secs());
            return Problem::from(Error::new(ErrorKind::Limited, text)).into_response();
        }
    }
    let end = gate.server.identity().caller_end(&authentication);
    let extensions = request.extensions_mut();
    extensions.insert(HubUser(member.name().as_str().to_owned()));
    extensions.insert(HubCredentials(end));
    next.run(request).await
}

/// The headers, with the token of the query as a bearer token if there is no other.
fn with_query_token(headers: &HeaderMap, uri: &Uri) -> HeaderMap {
    let mut headers = headers.clone();
    let token = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .find_map(|pair| pair.strip_prefix("access_token="));
    if let Some(token) = token.filter(|_| !headers.contains_key(AUTHORIZATION))
        && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {token}"))
    {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers
}
