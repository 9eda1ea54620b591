//! What a fake was sent and what it answers, as plain data.
//!
//! Owns the two records and how the first is read from a connection. Does not own any judgement about them.

use std::collections::BTreeMap;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode, Version};

/// More than any request of a provider may have.
const BODY_BYTES_MAX: usize = 256 * 1024;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The verb.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// Headers by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body as it came.
    pub body: Bytes,
    /// Whether it came over HTTP/2.
    pub over_http2: bool,
    /// The number of its connection, counted from 1.
    pub connection: u64,
}

impl ReceivedRequest {
    pub(super) async fn read(request: Request<Incoming>, connection: u64) -> Option<Self> {
        let (head, body) = request.into_parts();
        let body = Limited::new(body, BODY_BYTES_MAX).collect().await.ok()?.to_bytes();
        let headers = head.headers.iter().map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        // HTTP/2 has the host beside its path.
        let host = head.uri.authority().map(|host| ("host".to_owned(), host.as_str().to_owned()));
        Some(Self {
            method: head.method.as_str().to_owned(),
            path: head.uri.path().to_owned(),
            headers: headers.chain(host).collect(),
            body,
            over_http2: head.version == Version::HTTP_2,
            connection,
        })
    }

    /// A header's value, or nothing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What a fake answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeResponse {
    /// The HTTP status.
    pub status: u16,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// The body's text.
    pub body: String,
}

impl FakeResponse {
    /// A reply without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new() }
    }

    /// A reply with a JSON body.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string() }
            .header("content-type", "application/json")
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn encode(self) -> Response<Full<Bytes>> {
        let mut builder = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            builder = builder.header(name, value);
        }
        builder.body(Full::new(Bytes::from(self.body))).unwrap_or_else(|_| {
            let mut response = Response::new(Full::new(Bytes::from_static(b"unusable script")));
            *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
            response
        })
    }
}
