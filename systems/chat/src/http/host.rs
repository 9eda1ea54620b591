//! Which names the service is called by, and which pages of other origins may call it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, HOST, HeaderValue, ORIGIN, VARY,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use service::http::Problem;

use crate::settings::CorsSettings;

/// The names of `AllowedHosts`; none for all.
#[derive(Clone, Debug)]
pub(super) struct AllowedHosts(Arc<[String]>);

/// The origins of `Cors`.
#[derive(Clone, Debug)]
pub(crate) struct CorsRules {
    origins: Arc<[String]>,
    allows_all: bool,
}

impl AllowedHosts {
    pub(super) fn parse(text: &str) -> Self {
        let names = text.split(';').map(|name| name.trim().to_lowercase());
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        let is_all = names.iter().any(|name| name == "*");
        Self(if is_all { Arc::new([]) } else { names.into() })
    }

    fn allow(&self, host: &str) -> bool {
        // Without the port; an address of version 6 is in brackets.
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        self.0.is_empty() || self.0.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
    }
}

impl CorsRules {
    pub(crate) fn new(settings: &CorsSettings) -> Self {
        let origins = settings.allowed_origins.clone().into();
        Self { origins, allows_all: settings.allow_all_origins }
    }

    pub(crate) fn allow(&self, origin: &str) -> bool {
        self.allows_all || self.origins.iter().any(|one| one.eq_ignore_ascii_case(origin))
    }
}

/// Refuses requests to names that are not allowed.
pub(super) async fn check_host(
    State(hosts): State<AllowedHosts>,
    request: Request,
    next: Next,
) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    if hosts.allow(host.unwrap_or_default()) {
        return next.run(request).await;
    }
    Problem::bad_request("unknown_host", "This service does not go by this name.").into_response()
}

/// Lets pages of allowed origins read answers, and answers what their browsers ask before.
pub(super) async fn add_cors_headers(
    State(rules): State<CorsRules>,
    request: Request,
    next: Next,
) -> Response {
    let origin = request.headers().get(ORIGIN).cloned();
    let allowed = origin.filter(|origin| origin.to_str().is_ok_and(|origin| rules.allow(origin)));
    let Some(origin) = allowed else { return next.run(request).await };
    let is_question = request.method() == Method::OPTIONS
        && request.headers().contains_key("access-control-request-method");
    let mut response =
        if is_question { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    headers.append(VARY, HeaderValue::from_static("origin"));
    if is_question {
        let methods = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        let names =
            "authorization, content-type, x-csrf-token, x-requested-with, x-signalr-user-agent";
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(names));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::AllowedHosts;

    #[test]
    fn hosts_are_compared_without_port_and_case() {
        let hosts = AllowedHosts::parse("chat.example; localhost");
        for good in ["chat.example", "Chat.Example:443", "localhost:8080"] {
            assert!(hosts.allow(good), "{good}");
        }
        for bad in ["", "evil.example", "chat.example.evil.example"] {
            assert!(!hosts.allow(bad), "{bad}");
        }
        assert!(AllowedHosts::parse("*").allow("anything"));
    }
}
