//! A problem as a value, and as `application/problem+json`.
//!
//! Owns the members: `type`, `title`, `status`, `code`, `detail`, `errors`, `requestId`, and what a system adds. The
//! code is what a program may look at; it never changes. The cause is for the log and never leaves the service.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What an action or a question of a system comes to.
pub type Outcome<T> = Result<T, Problem>;

/// A refusal or a failure, ready to be answered.
#[derive(Clone, Debug)]
pub struct Problem(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<FieldError>,
    members: Map<String, Value>,
    headers: HeaderMap,
    cause: Option<String>,
}

/// What is wrong with one property of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// The property, as a path: `quietHours.from`.
    pub field: String,
    /// What a program may look at.
    pub code: String,
    /// What a person should read: the value and what is allowed.
    pub message: String,
}

/// The body of a problem, for the OpenAPI document and for clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Problem)]
pub struct ProblemDocument {
    /// Always `about:blank`: the code says what kind of problem it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// The phrase of the status.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// A stable word for programs.
    pub code: String,
    /// A sentence for people.
    pub detail: String,
    /// What is wrong with single properties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Names the request in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Problem {
    /// Any problem. The code is a stable word, the detail names the thing, the value and the way out.
    #[must_use]
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self(Box::new(Inner {
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

    /// 400 `invalid_fields` with one wrong property; more are added by [`Problem::field`].
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

    /// 500 `internal`: the cause is logged, the caller learns the request id only.
    #[must_use]
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let detail = "The service failed. Its log has the cause under the request id.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail).caused_by(cause)
    }

    /// Adds a wrong property.
    #[must_use]
    pub fn field(mut self, field: &str, code: &str, message: impl Into<String>) -> Self {
        let (field, code) = (field.to_owned(), code.to_owned());
        self.0.errors.push(FieldError { field, code, message: message.into() });
        self
    }

    /// Adds a member of the system's own.
    #[must_use]
    pub fn member(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.members.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a header; a value that no header can have is left out.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl AsRef<str>) -> Self {
        if let Ok(value) = HeaderValue::from_str(value.as_ref()) {
            self.0.headers.insert(name, value);
        }
        self
    }

    /// Says when to try again, in whole seconds, at least one.
    #[must_use]
    pub fn retry_after(self, delay: Duration) -> Self {
        let seconds = delay.as_millis().div_ceil(1000).max(1);
        self.header(RETRY_AFTER, seconds.to_string())
    }

    /// Says why, for the log only.
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

    /// The stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The sentence.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The wrong properties.
    #[must_use]
    pub fn errors(&self) -> &[FieldError] {
        &self.0.errors
    }

    /// Why, for the log.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// The body, naming the request.
    #[must_use]
    pub fn to_json(&self, request_id: Option<&str>) -> Value {
        let Inner { status, code, detail, errors, members, .. } = &*self.0;
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

/// Found on a response by the layer that knows the request id, which then writes the body again.
#[derive(Clone, Debug)]
pub(crate) struct Answered(pub(crate) Arc<Problem>);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(self.body(None));
        *response.status_mut() = self.0.status;
        response.headers_mut().extend(self.0.headers.clone());
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response.extensions_mut().insert(Answered(Arc::new(self)));
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
