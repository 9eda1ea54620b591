//! The body of a batch or bulk response: a JSON array of results.
//!
//! Owns one entry and the array. Does not own the status of the whole response.

use engine::ItemResource;
use engine::response::{BatchEffect, ReadResult};
use hyper::StatusCode;
use model::{Json, RequestCharge};

use crate::http::ApiError;

/// The result of one operation.
#[derive(Debug)]
pub(super) struct BatchResponseEntry {
    status: StatusCode,
    sub_status: Option<u32>,
    charge: RequestCharge,
    retry_after_ms: Option<u64>,
    etag: Option<String>,
    body: Option<ItemResource>,
}

impl BatchResponseEntry {
    fn new(status: StatusCode, charge: RequestCharge) -> Self {
        Self { status, sub_status: None, charge, retry_after_ms: None, etag: None, body: None }
    }

    fn with_item(status: StatusCode, charge: RequestCharge, item: ItemResource) -> Self {
        let etag = Some(item.etag().to_string());
        Self { etag, body: Some(item), ..Self::new(status, charge) }
    }

    pub(super) fn from_effect(effect: BatchEffect, charge: RequestCharge) -> Self {
        match effect {
            BatchEffect::Created(item) => Self::with_item(StatusCode::CREATED, charge, item),
            BatchEffect::Replaced(item) | BatchEffect::Read(ReadResult::Found(item)) => {
                Self::with_item(StatusCode::OK, charge, item)
            }
            BatchEffect::Deleted => Self::new(StatusCode::NO_CONTENT, charge),
            BatchEffect::Read(ReadResult::NotModified(etag)) => {
                let etag = Some(etag.to_string());
                Self { etag, ..Self::new(StatusCode::NOT_MODIFIED, charge) }
            }
        }
    }

    pub(super) fn from_error(error: &ApiError) -> Self {
        Self {
            sub_status: error.sub_status(),
            retry_after_ms: error.retry_after_ms(),
            ..Self::new(error.status(), error.charge())
        }
    }

    /// The entry of an operation that has no effect because another one failed, with its charge if it ran.
    pub(super) fn failed_dependency(charge: Option<RequestCharge>) -> Self {
        Self::new(StatusCode::FAILED_DEPENDENCY, charge.unwrap_or_default())
    }

    /// Removes the item from the entry.
    pub(super) fn without_body(self) -> Self {
        Self { body: None, ..self }
    }

    pub(super) fn is_error(&self) -> bool {
        self.status.as_u16() >= 400
    }

    pub(super) fn charge(&self) -> RequestCharge {
        self.charge
    }

    fn print_to(&self, text: &mut Vec<u8>) {
        let status = self.status.as_u16();
        text.extend_from_slice(format!("{{\"statusCode\":{status}").as_bytes());
        if let Some(sub_status) = self.sub_status {
            text.extend_from_slice(format!(",\"subStatusCode\":{sub_status}").as_bytes());
        }
        text.extend_from_slice(format!(",\"requestCharge\":{}", self.charge).as_bytes());
        if let Some(delay) = self.retry_after_ms {
            text.extend_from_slice(format!(",\"retryAfterMilliseconds\":{delay}").as_bytes());
        }
        if let Some(etag) = &self.etag {
            text.extend_from_slice(b",\"eTag\":");
            Json::from(etag.as_str()).print_to(text);
        }
        if let Some(body) = &self.body {
            text.extend_from_slice(b",\"resourceBody\":");
            // The stored text, not parsed: an item of a batch costs no more than that of a point read.
            text.extend_from_slice(body.text());
        }
        text.push(b'}');
    }
}

/// Serializes the array of entries.
pub(super) fn to_bytes(entries: &[BatchResponseEntry]) -> Vec<u8> {
    let mut text = b"[".to_vec();
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        entry.print_to(&mut text);
    }
    text.push(b']');
    text
}
