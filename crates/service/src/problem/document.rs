//! A problem as a value, and as `application/problem+json`.
//!
//! Owns the members: `type`, `title`, `status`, `code`, `detail`, `errors`, `requestId`, and those a system adds. The
//! code is for programs and never changes. The cause is for the log and never leaves the service.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The result of a request handler.
pub type HttpResult<T> = Result<T, Problem>;

/// An error response.
#[derive(Clone, Debug)]
pub struct Problem(Box<ProblemInner>);

#[derive(Clone, Debug)]
struct ProblemInner {
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<FieldError>,
    members: Map<String, Value>,
    headers: HeaderMap,
    cause: Option<String>,
}

/// An invalid property of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// The property, as a path: `quietHours.from`.
    pub field: String,
    /// The error code, for programs.
    pub code: String,
    /// The explanation, for people: the value and what is allowed.
    pub message: String,
}

/// The body of a problem, for the OpenAPI document and for clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Problem)]
pub struct ProblemDocument {
    /// Always `about:blank`; see `code` for the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The reason phrase of the status.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The stable error code, for programs.
    pub code: String,
    /// The explanation, for people.
    pub detail: String,
    /// Invalid properties of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// The id of the request in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Problem {
    /// Any problem. The code is stable; the detail names the subject, the value and the remedy.
    #[must_use]
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self(Box::new(ProblemInner {
            status,
            code,
            detail: detail.into(),
            errors: Vec::new(),
            members: Map::new(),
            headers: HeaderMap::new(),
            cause: None,
        }))
    }

    /// 400.
    #[must_use]
    pub fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// 400 `invalid_fields` with one invalid property; add more with [`Problem::field`].
    #[must_use]
    pub fn invalid_field(field: &str, code: &str, message: impl Into<String>) -> Self {
        let problem =
            Self::bad_request("invalid_fields", "Some properties of the request are not valid.");
        problem.field(field, code, message)
    }

    /// 401 without `WWW-Authenticate`; `identity` adds it.
    #[must_use]
    pub fn unauthorized(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code, detail)
    }

    /// 403.
    #[must_use]
    pub fn forbidden(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// 404 `not_found`.
    #[must_use]
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// 409.
    #[must_use]
    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, detail)
    }

    /// 500 `internal`: the cause is logged; the caller gets only the request id.
    #[must_use]
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let detail = "The service failed. Its log has the cause under the request id.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail).caused_by(cause)
    }

    /// Adds an invalid property.
    #[must_use]
    pub fn field(mut self, field: &str, code: &str, message: impl Into<String>) -> Self {
        let (field, code) = (field.to_owned(), code.to_owned());
        self.0.errors.push(FieldError { field, code, message: message.into() });
        self
    }

    /// Adds a member defined by the system.
    #[must_use]
    pub fn member(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.members.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a header. A value that is not valid in a header is ignored.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl AsRef<str>) -> Self {
        if let Ok(value) = HeaderValue::from_str(value.as_ref()) {
            self.0.headers.insert(name, value);
        }
        self
    }

    /// Adds `Retry-After` in whole seconds, at least one.
    #[must_use]
    pub fn retry_after(self, delay: Duration) -> Self {
        let seconds = delay.as_millis().div_ceil(1000).max(1);
        self.header(RETRY_AFTER, seconds.to_string())
    }

    /// Adds the cause, for the log only.
    #[must_use]
    pub fn caused_by(mut self, cause: impl std::fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// The stable error code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The explanation.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The invalid properties.
    #[must_use]
    pub fn errors(&self) -> &[FieldError] {
        &self.0.errors
    }

    /// The cause, for the log.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// The body as JSON, with the id of the request.
    #[must_use]
    pub fn to_json(&self, request_id: Option<&str>) -> Value {
        let ProblemInner { status, code, detail, errors, members, .. } = &*self.0;
        let document = ProblemDocument {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            code: (*code).to_owned(),
            detail: detail.clone(),
            errors: errors.clone(),
            request_id: request_id.map(str::to_owned),
        };
        let mut body = serde_json::to_value(document).unwrap_or_default();
        if let Value::Object(body) = &mut body {
            for (name, value) in members {
                body.entry(name.as_str()).or_insert_with(|| value.clone());
            }
        }
        body
    }

    /// The body as bytes.
    pub(crate) fn body(&self, request_id: Option<&str>) -> Body {
        Body::from(self.to_json(request_id).to_string())
    }
}

/// Attached to a response, so that the middleware that knows the request id can write the body again, and log the
/// cause.
#[derive(Clone, Debug)]
pub(crate) struct ProblemExtension(pub(crate) Arc<Problem>);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(self.body(None));
        *response.status_mut() = self.0.status;
        response.headers_mut().extend(self.0.headers.clone());
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response.extensions_mut().insert(ProblemExtension(Arc::new(self)));
        response
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}: {}", self.0.status.as_u16(), self.0.code, self.0.detail)?;
        match &self.0.cause {
            Some(cause) => write!(formatter, " ({cause})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}
