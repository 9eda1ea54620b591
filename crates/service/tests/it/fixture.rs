//! A small service without a socket, for the tests of HTTP and identity.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use client::{Environment, TravellingClock};
use model::TimestampMs;
use serde_json::Value;
use service::http::{HttpServer, HttpSettings, OpenApiRouter};
use service::identity::{Identity, IdentitySettings};
use tower::ServiceExt;

/// A service with its clock.
pub(crate) struct Fixture {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) server: HttpServer,
    pub(crate) router: Router,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Fixture {
    /// A service in demo mode with these routes.
    pub(crate) fn new(api: impl FnOnce(&HttpServer) -> OpenApiRouter) -> Self {
        Self::with(HttpSettings::default(), &IdentitySettings::demo(), api)
    }

    pub(crate) fn with(
        http: HttpSettings,
        identity: &IdentitySettings,
        api: impl FnOnce(&HttpServer) -> OpenApiRouter,
    ) -> Self {
        let clock = TravellingClock::starting_at(TimestampMs(1_800_000_000_000));
        let environment = Environment::simulated(Arc::clone(&clock), 7);
        let identity = Identity::new(environment.clone(), identity).unwrap();
        let server = HttpServer::new(environment, http, identity);
        let router = server.router(api(&server), &[]);
        Self { clock, server, router }
    }

    pub(crate) fn token(&self, subject: &str, roles: &[&str]) -> String {
        format!("Bearer {}", self.server.identity().demo_issuer().unwrap().token(subject, roles))
    }

    pub(crate) fn travel_seconds(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask(Method::GET, path, headers, "").await
    }

    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        Answer { status: parts.status, headers: parts.headers, text }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// Status and code of a problem, which must look like one.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let json = self.json();
        assert_eq!(json["status"], self.status.as_u16());
        assert_eq!(json["requestId"], self.header("x-request-id"));
        assert!(!json["detail"].as_str().unwrap().is_empty());
        (self.status.as_u16(), json["code"].as_str().unwrap().to_owned())
    }
}
