//! Errors as HTTP responses: the one table from error kinds to status pairs, and the error body.
//!
//! Owns status, sub-status, code and body of every response that is not a success. Does not own the messages of the
//! engine; they are passed on.

use engine::{Error, ErrorKind};
use hyper::StatusCode;
use model::{ImmutableProperty, Json, Object, RequestCharge};

use super::cached_headers::HeaderList;
use super::header;
use super::message::{ErrorMessage, MessageForm, in_words_of_replica};
use super::response::{ApiResponse, script_log_header};

/// Result of handling a request.
pub(crate) type ApiResult<T = ApiResponse> = Result<T, ApiError>;

/// Why a request failed, as the client will see it.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    sub_status: Option<u32>,
    message: String,
    form: MessageForm,
    retry_after_ms: Option<u64>,
    charge: RequestCharge,
    /// The query plan, for clients that can run the query themselves.
    plan: Option<String>,
    /// More headers: which physical partition refused the request, and its position.
    headers: HeaderList,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let message = message.into();
        let (sub_status, retry_after_ms, plan) = (None, None, None);
        let (charge, headers) = (RequestCharge::ZERO, HeaderList::new());
        let form = MessageForm::Plain;
        Self { status, sub_status, message, form, retry_after_ms, charge, plan, headers }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, message)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let message = "The requested verb is not supported on this resource.";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message)
    }

    pub(crate) fn invalid_payload(detail: impl std::fmt::Display) -> Self {
        Self::bad_request(format!(
            "The request payload is invalid. Ensure to provide a valid request payload. {detail}"
        ))
    }

    /// The same failure with its second number.
    pub(crate) fn with_sub_status(mut self, sub_status: u32) -> Self {
        self.sub_status = Some(sub_status);
        self
    }

    /// The same failure in the words of a replica: the gateway of the service replaces them for some operations only.
    pub(crate) fn in_words_of_replica(mut self) -> Self {
        if let Some(message) = in_words_of_replica(&self.message) {
            self.message = message;
        }
        self
    }

    /// Sets the time after which the client should try again.
    pub(crate) fn with_retry_after(mut self, delay_ms: u64) -> Self {
        self.retry_after_ms = Some(delay_ms);
        self
    }

    /// Adds the query plan, for clients that can run the query themselves.
    pub(crate) fn with_plan(mut self, plan: String) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Adds headers about the physical partition that refused the request.
    pub(crate) fn with_headers(mut self, headers: HeaderList) -> Self {
        self.headers = headers;
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn sub_status(&self) -> Option<u32> {
        self.sub_status
    }

    pub(crate) fn charge(&self) -> RequestCharge {
        self.charge
    }

    pub(crate) fn retry_after_ms(&self) -> Option<u64> {
        self.retry_after_ms
    }

    /// The body that the client receives.
    pub(crate) fn into_body(mut self, activity_id: &str) -> Vec<u8> {
        self.take_body(activity_id)
    }

    fn take_body(&mut self, activity_id: &str) -> Vec<u8> {
        let mut body = Object::new();
        body.insert("code", code(self.status));
        let ErrorMessage { message, detail } =
            ErrorMessage::new(&self.message, self.form, activity_id);
        body.insert("message", message);
        if let Some(detail) = detail {
            body.insert("detail", detail);
        }
        if let Some(plan) = self.plan.take() {
            body.insert("additionalErrorInfo", plan);
        }
        Json::Object(body).to_bytes()
    }

    /// The response that the client receives.
    pub(crate) fn into_response(mut self, activity_id: &str) -> ApiResponse {
        let mut response = ApiResponse::json(self.status, self.take_body(activity_id));
        if self.charge != RequestCharge::ZERO {
            response = response.charge(self.charge);
        }
        if let Some(sub_status) = self.sub_status {
            response = response.with(header::SUBSTATUS, sub_status);
        }
        if let Some(delay) = self.retry_after_ms {
            response = response.with(header::RETRY_AFTER, delay);
        }
        response.with_all(self.headers)
    }
}

/// The table from error kinds to status pairs. A sub-status has a meaning only together with its status.
impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let (status, sub_status) = match error.kind() {
            ErrorKind::Invalid => (StatusCode::BAD_REQUEST, None),
            ErrorKind::PartitionKeyMismatch => (StatusCode::BAD_REQUEST, Some(1001)),
            ErrorKind::NotFound | ErrorKind::OwnerNotFound => (StatusCode::NOT_FOUND, None),
            ErrorKind::Conflict => (StatusCode::CONFLICT, None),
            ErrorKind::PreconditionFailed => (StatusCode::PRECONDITION_FAILED, None),
            ErrorKind::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, None),
            ErrorKind::Immutable(ImmutableProperty::UniqueKeys) => (StatusCode::FORBIDDEN, None),
            ErrorKind::Immutable(_) => (StatusCode::BAD_REQUEST, None),
            ErrorKind::SessionNotAvailable => (StatusCode::NOT_FOUND, Some(1002)),
            // With this pair clients read the partition key ranges again.
            ErrorKind::PartitionGone => (StatusCode::GONE, Some(1002)),
            ErrorKind::ContinuationRefused => (StatusCode::BAD_REQUEST, None),
            ErrorKind::BadQuery => {
                (StatusCode::BAD_REQUEST, error.query_error_number().map(u32::from))
            }
            // The number of the error that the script threw, or that of a bad request.
            ErrorKind::ScriptFailed { number } => {
                (StatusCode::BAD_REQUEST, Some(number.map_or(400, u32::from)))
            }
            ErrorKind::OutOfTime => (StatusCode::REQUEST_TIMEOUT, None),
            // 3200 is the sub-status for which clients wait as long as the header says.
            ErrorKind::Throttled { .. } => (StatusCode::TOO_MANY_REQUESTS, Some(3200)),
            ErrorKind::Unsupported => (StatusCode::NOT_IMPLEMENTED, None),
            ErrorKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, None),
            ErrorKind::Corrupt => (StatusCode::INTERNAL_SERVER_ERROR, None),
        };
        let retry_after_ms = match error.kind() {
            ErrorKind::Throttled { retry_after_ms } => Some(retry_after_ms),
            _ => None,
        };
        let (message, form) = match error.query_errors_json() {
            // With a number, it failed while it ran.
            Some(errors) if sub_status.is_some() => (errors.to_string(), MessageForm::Execution),
            Some(errors) => (errors.to_string(), MessageForm::Compiler),
            None => (error.full_message(), message_form(error.kind())),
        };
        let charge = error.charge();
        let mut headers = HeaderList::new();
        if let Some(log) = error.script_log() {
            headers.extend(script_log_header(log));
        }
        let own = Self::new(status, message);
        Self { sub_status, retry_after_ms, charge, form, headers, ..own }
    }
}

/// The form of a message without a sentence of the service.
fn message_form(kind: ErrorKind) -> MessageForm {
    match kind {
        ErrorKind::Invalid
        | ErrorKind::PartitionKeyMismatch
        | ErrorKind::NotFound
        | ErrorKind::OwnerNotFound
        | ErrorKind::Conflict
        | ErrorKind::PreconditionFailed
        | ErrorKind::TooLarge
        | ErrorKind::Immutable(_)
        | ErrorKind::SessionNotAvailable
        | ErrorKind::PartitionGone
        | ErrorKind::BadQuery
        | ErrorKind::ScriptFailed { .. }
        | ErrorKind::Throttled { .. } => MessageForm::Replica,
        ErrorKind::ContinuationRefused
        | ErrorKind::OutOfTime
        | ErrorKind::Unsupported
        | ErrorKind::Unavailable
        | ErrorKind::Corrupt => MessageForm::Plain,
    }
}

impl From<model::ValidationError> for ApiError {
    fn from(invalid: model::ValidationError) -> Self {
        Self { form: MessageForm::Replica, ..Self::bad_request(invalid.message()) }
    }
}

fn code(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        408 => "RequestTimeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "PreconditionFailed",
        413 => "RequestEntityTooLarge",
        414 => "RequestUriTooLong",
        424 => "FailedDependency",
        429 => "TooManyRequests",
        431 => "RequestHeaderFieldsTooLarge",
        501 => "NotImplemented",
        503 => "ServiceUnavailable",
        _ => "InternalServerError",
    }
}
