//! Requests and responses of the fake servers, as plain data.

use std::collections::BTreeMap;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode, Version};

/// Larger than any valid request.
const BODY_BYTES_MAX: usize = 256 * 1024;

/// A request that a fake server received.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// Headers by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Bytes,
    /// Whether it came over HTTP/2.
    pub is_http2: bool,
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
        // HTTP/2 has the host in a pseudo-header, which hyper puts into the URI.
        let host = head.uri.authority().map(|host| ("host".to_owned(), host.as_str().to_owned()));
        Some(Self {
            method: head.method.as_str().to_owned(),
            path: head.uri.path().to_owned(),
            headers: headers.chain(host).collect(),
            body,
            is_http2: head.version == Version::HTTP_2,
            connection,
        })
    }

    /// The value of a header; empty if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The body as JSON; null if it is not JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// A response of a fake server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeResponse {
    /// The HTTP status.
    pub status: u16,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl FakeResponse {
    /// A response without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new() }
    }

    /// A response with a JSON body.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string() }
            .header("content-type", "application/json")
    }

    /// Adds a header.
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
            // A test that scripts an invalid header sees a status that no provider uses, instead of a panic in the
            // server.
            *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
            response
        })
    }
}
