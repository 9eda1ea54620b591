//! Answers of the protocol, and its errors.

use axum::body::Body;
use axum::http::{Response, StatusCode, header::CONTENT_TYPE};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::error::{Error, ErrorKind};

/// An answer.
pub(super) enum VaultReply {
    /// 204.
    Nothing,
    /// 200 with `data`.
    Data(Value),
    /// 200 with `data` that has values: as text, wiped when it was sent.
    Secret(Zeroizing<Vec<u8>>),
    /// 200 with `auth`.
    Grant(Value),
    /// 200 with this body and nothing around it, as some system routes have it.
    Plain(StatusCode, Value),
}

/// A refusal.
#[derive(Debug)]
pub(super) struct VaultRefusal {
    status: u16,
    errors: Vec<String>,
    /// A deleted version answers 404 with its metadata.
    data: Option<Value>,
}

/// Result of a request.
pub(super) type VaultResult<T> = Result<T, VaultRefusal>;

impl VaultRefusal {
    fn new(status: u16, error: impl Into<String>) -> Self {
        Self { status, errors: vec![error.into()], data: None }
    }

    pub(super) fn invalid(error: impl Into<String>) -> Self {
        Self::new(400, error)
    }

    pub(super) fn denied() -> Self {
        Self::new(403, "permission denied")
    }

    /// Nothing there: without a text, as a Vault answers.
    pub(super) fn nothing() -> Self {
        Self { status: 404, errors: Vec::new(), data: None }
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.status == 404 && self.data.is_none()
    }

    pub(super) fn not_found(error: impl Into<String>) -> Self {
        Self::new(404, error)
    }

    pub(super) fn gone(data: Value) -> Self {
        Self { status: 404, errors: Vec::new(), data: Some(data) }
    }

    pub(super) fn unsupported() -> Self {
        Self::new(405, "unsupported operation")
    }

    pub(super) fn too_large() -> Self {
        Self::new(413, "the body is larger than this server takes")
    }

    pub(super) fn cas_mismatch() -> Self {
        Self::invalid("check-and-set parameter did not match the current version")
    }
}

impl From<Error> for VaultRefusal {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Invalid => Self::invalid(error.to_string()),
            ErrorKind::Unavailable | ErrorKind::Changed => {
                Self::new(503, "the data cannot be reached now")
            }
            _ => {
                tracing::error!(%error, "a request to the vault failed");
                Self::new(500, "internal error")
            }
        }
    }
}

impl From<client::Error> for VaultRefusal {
    fn from(error: client::Error) -> Self {
        if error.kind() == client::ErrorKind::TooLarge {
            return Self::too_large();
        }
        Error::from(error).into()
    }
}

/// The answer over HTTP.
pub(super) fn respond(reply: VaultResult<VaultReply>, request_id: &str) -> Response<Body> {
    let whole = |data: Value, auth: Value| {
        json!({
            "request_id": request_id, "lease_id": "", "renewable": false, "lease_duration": 0,
            "data": data, "wrap_info": null, "warnings": null, "auth": auth,
        })
    };
    match reply {
        Ok(VaultReply::Nothing) => send(204, Vec::new()),
        Ok(VaultReply::Data(data)) => send(200, whole(data, Value::Null).to_string()),
        Ok(VaultReply::Grant(auth)) => send(200, whole(Value::Null, auth).to_string()),
        Ok(VaultReply::Plain(status, body)) => send(status.as_u16(), body.to_string()),
        Ok(VaultReply::Secret(data)) => {
            let before = format!(
                "{{\"request_id\":\"{request_id}\",\"lease_id\":\"\",\"renewable\":false,\"lease_duration\":0,\"data\":"
            );
            let after = ",\"wrap_info\":null,\"warnings\":null,\"auth\":null}";
            let length = before.len() + data.len() + after.len();
            let mut body = Zeroizing::new(Vec::with_capacity(length));
            body.extend_from_slice(before.as_bytes());
            body.extend_from_slice(&data);
            body.extend_from_slice(after.as_bytes());
            send(200, bytes::Bytes::from_owner(body))
        }
        Err(refusal) => {
            let body = match refusal.data {
                Some(data) => whole(data, Value::Null),
                None => json!({ "errors": refusal.errors }),
            };
            send(refusal.status, body.to_string())
        }
    }
}

fn send(status: u16, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    let json = axum::http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    let no_store = axum::http::HeaderValue::from_static("no-store");
    response.headers_mut().insert(axum::http::header::CACHE_CONTROL, no_store);
    response
}
