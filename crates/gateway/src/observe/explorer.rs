//! The pages of the explorer, and its session.
//!
//! Owns `/_explorer/`, the files of the UI kit under `/_kit/`, and `/_planisphere/session`: none needs a signature, and
//! none shows data. Does not own the pages: the binary passes them in.

use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, StatusCode};
use model::{Json, Object};
use ui_kit::{Asset, KIT, PAGE_POLICY};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiResponse, ApiResult};
use crate::route::RequestPath;
use crate::session::check_same_site;
use crate::settings::ExplorerSettings;

const SESSION_PATH: &str = "_planisphere/session";

/// Returns the page at the path of a request, if the explorer is served.
pub(crate) fn find_page(
    gateway: &Gateway,
    method: &Method,
    path: &RequestPath<'_>,
) -> Option<&'static Asset> {
    let explorer = gateway.settings().explorer.as_ref()?;
    // The paths of all pages begin like this, and those of resources do not: ordinary reads do not search the list.
    if !path.raw.starts_with('_') || (*method != Method::GET && *method != Method::HEAD) {
        return None;
    }
    // The older name of the page stays.
    let raw = match path.raw {
        "_explorer/index.html" => "_explorer",
        raw => raw,
    };
    explorer.pages.iter().chain(KIT).find(|page| page.path.trim_matches('/') == raw)
}

/// The response with a page.
pub(crate) fn page_response(page: &Asset) -> ApiResponse {
    ApiResponse::text(StatusCode::OK, page.content_type, page.body)
        .with_static(CONTENT_SECURITY_POLICY, PAGE_POLICY)
        .with_static(X_CONTENT_TYPE_OPTIONS, "nosniff")
        .with_static(REFERRER_POLICY, "no-referrer")
        .with_static(CACHE_CONTROL, "no-cache")
}

/// Whether a request without a signature asks for a page: a browser visits, and no client reads the account.
pub(crate) fn is_page_visit(parts: &Parts) -> bool {
    parts.method == Method::GET && !parts.headers.contains_key(AUTHORIZATION)
}

/// Sends a browser from `/` to the page.
pub(crate) fn redirect_to_explorer() -> ApiResponse {
    ApiResponse::empty(StatusCode::FOUND).with_static(LOCATION, "/_explorer")
}

/// Returns the settings of the explorer if the request is about its session.
pub(crate) fn match_session<'a>(
    gateway: &'a Gateway,
    path: &RequestPath<'_>,
) -> Option<&'a ExplorerSettings> {
    gateway.settings().explorer.as_ref().filter(|_| path.raw == SESSION_PATH)
}

/// `/_planisphere/session`: GET says who is signed in, POST begins a session, DELETE ends it.
pub(crate) fn handle_session(
    gateway: &Gateway,
    explorer: &ExplorerSettings,
    method: &Method,
    headers: &HeaderMap,
    body: &[u8],
    origin: &str,
) -> ApiResult<ApiResponse> {
    check_same_site(headers, &explorer.host_names)?;
    let sessions = gateway.sessions();
    let now = gateway.engine().environment().now();
    match *method {
        Method::GET => {
            let session = sessions.find(headers, now.seconds().0);
            Ok(about(
                gateway,
                explorer,
                origin,
                session.as_ref().map(|session| session.csrf_token.as_str()),
            ))
        }
        Method::POST => {
            check_credential(gateway, body)?;
            let is_https = origin.starts_with("https:");
            let (session, cookie) = sessions.open(headers, is_https, now.seconds().0);
            gateway.request_log().start(now.0);
            let cookie = HeaderValue::try_from(cookie)
                .map_err(|_| ApiError::bad_request("The host is not valid."))?;
            Ok(about(gateway, explorer, origin, Some(&session.csrf_token))
                .with_value(SET_COOKIE, cookie))
        }
        Method::DELETE => {
            let cookie = HeaderValue::try_from(sessions.close(headers));
            let cookie = cookie.map_err(|_| ApiError::bad_request("The host is not valid."))?;
            Ok(about(gateway, explorer, origin, None).with_value(SET_COOKIE, cookie))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Accepts the account key or the token that was printed at the start.
fn check_credential(gateway: &Gateway, body: &[u8]) -> ApiResult<()> {
    let body = Json::parse(body).map_err(ApiError::invalid_payload)?;
    let text = |name| body.get(name).and_then(Json::as_str).map(str::trim);
    let is_accepted = match (text("key"), text("token")) {
        (Some(key), _) => gateway.settings().key.is_same_text(key),
        (None, Some(token)) => gateway.sessions().is_start_token(token),
        (None, None) => {
            return Err(ApiError::bad_request("Send {\"key\": \"...\"} or {\"token\": \"...\"}."));
        }
    };
    if is_accepted {
        return Ok(());
    }
    let message = "This is not the key of this account. The server printed it at its start.";
    Err(ApiError::new(StatusCode::UNAUTHORIZED, message))
}

/// What the page shows before and after the sign-in. The key is in it only if everybody knows it.
fn about(
    gateway: &Gateway,
    explorer: &ExplorerSettings,
    origin: &str,
    csrf_token: Option<&str>,
) -> ApiResponse {
    let endpoint = gateway.settings().public_endpoint.as_deref().unwrap_or(origin);
    let mut object = Object::new();
    object.insert("signedIn", csrf_token.is_some());
    object.insert("version", env!("CARGO_PKG_VERSION"));
    object.insert("endpoint", format!("{}/", endpoint.trim_end_matches('/')));
    object.insert("readOnly", explorer.is_read_only);
    object.insert("hasCertificate", gateway.certificate().is_some());
    if gateway.settings().key.is_well_known() {
        object.insert("wellKnownKey", gateway.settings().key.text());
    }
    if let Some(token) = csrf_token {
        object.insert("account", gateway.engine().settings().account_id.as_str());
        object.insert("csrfToken", token);
    }
    ApiResponse::ok(Json::Object(object).to_bytes())
}
