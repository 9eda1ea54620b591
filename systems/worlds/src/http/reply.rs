//! The envelope of every answer: `{data, meta}`, with `pagination` for lists, and the request charge as a header.

use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use client::EntityTag;
use serde::Serialize;
use service::charge::ChargedValue;
use service::http::{EtagHeader, JsonBody};

use super::request::WorldRequest;

/// The header with the request charge, as the database names it.
const X_CHARGE: HeaderName = HeaderName::from_static("x-ms-request-charge");

/// An answer.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct DataEnvelope<T> {
    data: T,
    meta: EnvelopeMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<Pagination>,
}

/// What every answer says about itself.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EnvelopeMeta {
    request_id: String,
    #[schema(value_type = String)]
    timestamp: crate::domain::UtcTimestamp,
    /// What the caller should know although the request succeeded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// The place of a page in its list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pagination {
    pub(super) limit: usize,
    pub(super) has_more: bool,
    pub(super) next_cursor: Option<String>,
}

/// An answer with its status and headers.
pub(super) struct WorldReply<T> {
    status: StatusCode,
    envelope: DataEnvelope<T>,
    etag: Option<EntityTag>,
    charge: f64,
}

impl WorldRequest {
    /// The answer with this value.
    pub(super) fn reply<T>(self, value: ChargedValue<T>) -> WorldReply<T> {
        let meta = EnvelopeMeta { request_id: self.id, timestamp: self.at, warnings: Vec::new() };
        WorldReply {
            status: StatusCode::OK,
            envelope: DataEnvelope { data: value.value, meta, pagination: None },
            etag: None,
            charge: self.meter.total() + value.charge,
        }
    }
}

impl<T> WorldReply<T> {
    pub(super) fn status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    pub(super) fn etag(self, etag: Option<EntityTag>) -> Self {
        Self { etag, ..self }
    }

    pub(super) fn warnings(mut self, warnings: Vec<String>) -> Self {
        self.envelope.meta.warnings = warnings;
        self
    }

    pub(super) fn page(mut self, limit: usize, next_cursor: Option<String>) -> Self {
        let has_more = next_cursor.is_some();
        self.envelope.pagination = Some(Pagination { limit, has_more, next_cursor });
        self
    }
}

impl<T: Serialize> IntoResponse for WorldReply<T> {
    fn into_response(self) -> Response {
        let charge = HeaderValue::from_str(&format!("{:.2}", self.charge)).ok();
        let etag = EtagHeader::new(self.etag.as_ref());
        let mut response = (self.status, etag, JsonBody(self.envelope)).into_response();
        if let Some(charge) = charge {
            response.headers_mut().insert(X_CHARGE, charge);
        }
        response
    }
}
