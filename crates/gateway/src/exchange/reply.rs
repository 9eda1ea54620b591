//! A reply under construction: status, headers, body.
//!
//! Owns the headers that every answer of one kind shares: charge, session token, position, owner. Does not own the
//! socket.

use std::fmt::{Display, Write};

use bytes::{Bytes, BytesMut};
use engine::{ContainerAddress, Engine};
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};
use model::{ChargeExplanation, RequestCharge, SessionToken};

use super::escape::percent_encoded_non_ascii;
use super::header;
use super::request::Request;

/// Clients take headers of a few kilobytes; the smallest terms of a longer explanation are left out.
const EXPLANATION_BYTES_MAX: usize = 6 * 1024;
/// Room for the headers of an answer about an item.
const HEADERS: usize = 48;
const HEADER_VALUES_BYTES: usize = 1024;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// What a request is answered with.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// Where the texts of headers are written, one after the other: one allocation for all of them.
    values: BytesMut,
}

impl Reply {
    pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        let mut headers = HeaderMap::with_capacity(HEADERS);
        headers.insert(CONTENT_TYPE, JSON);
        let values = BytesMut::with_capacity(HEADER_VALUES_BYTES);
        Self { status, headers, body: body.into(), values }
    }

    pub(crate) fn ok(body: impl Into<Bytes>) -> Self {
        Self::json(StatusCode::OK, body)
    }

    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::json(status, Bytes::new())
    }

    pub(crate) fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Self {
        let mut reply = Self::json(status, body);
        reply.headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        reply
    }

    /// The same reply with a header; a value that headers cannot carry is escaped.
    pub(crate) fn with(mut self, name: HeaderName, value: impl Display) -> Self {
        // A buffer takes every write.
        let _ = write!(self.values, "{value}");
        let text = self.values.split().freeze();
        if let Some(value) = header_value(&text) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The same reply with a header that never changes.
    pub(crate) fn with_static(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// The same reply with a header that is ready.
    pub(crate) fn with_value(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The same reply with the value of one header under another name too, if there is one.
    pub(crate) fn copied(mut self, from: &HeaderName, to: HeaderName) -> Self {
        if let Some(value) = self.headers.get(from).cloned() {
            self.headers.insert(to, value);
        }
        self
    }

    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(crate) fn into_headers(self) -> HeaderMap {
        self.headers
    }

    /// The same reply with headers that were made elsewhere.
    pub(crate) fn with_all(mut self, headers: HeaderMap) -> Self {
        self.headers.extend(headers);
        self
    }

    pub(crate) fn with_some(self, name: HeaderName, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(crate) fn etag(self, etag: impl Display) -> Self {
        self.with(ETAG, etag)
    }

    pub(crate) fn charge(self, charge: RequestCharge) -> Self {
        self.with(header::REQUEST_CHARGE, charge)
    }

    /// Why the request costs what it costs, when it was asked.
    pub(crate) fn explained(self, explanation: Option<Box<ChargeExplanation>>) -> Self {
        let text = explanation.map(|one| one.to_json_within(EXPLANATION_BYTES_MAX));
        self.with_some(header::EXPLAIN_CHARGE, text)
    }

    /// The same for a request whose charge is told as one term.
    pub(crate) fn explained_as_whole(
        self,
        engine: &Engine,
        request: &Request,
        operation: &'static str,
        charge: RequestCharge,
    ) -> Self {
        let explanation = || {
            let profile = engine.settings().charge_profile;
            Box::new(ChargeExplanation::of_whole(operation, profile, charge))
        };
        self.explained(request.wants_explanation().then(explanation))
    }

    /// The session token with the physical partition and its position, when it names only one.
    pub(crate) fn session(self, token: Option<&SessionToken>) -> Self {
        let Some(token) = token.filter(|token| token.iter().next().is_some()) else { return self };
        let mut parts = token.iter();
        let reply = match (parts.next(), parts.next()) {
            (Some((partition, lsn)), None) => self
                .with(header::PARTITION_KEY_RANGE_ID, partition)
                .with(header::LSN, lsn.0)
                .copied(&header::LSN, header::LOCAL_LSN),
            _ => self,
        };
        reply.with(header::SESSION_TOKEN, token)
    }

    /// The headers by which clients file the session token of items.
    pub(crate) fn owner(self, container: &ContainerAddress) -> Self {
        let link = &container.link;
        self.with(header::CONTENT_PATH, container.rid).with(
            header::OWNER_FULL_NAME,
            format_args!("dbs/{}/colls/{}", link.database, link.container),
        )
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

fn header_value(text: &Bytes) -> Option<HeaderValue> {
    // Of ASCII, only control characters are refused here.
    if text.is_ascii()
        && let Ok(value) = HeaderValue::from_maybe_shared(text.clone())
    {
        return Some(value);
    }
    let text = percent_encoded_non_ascii(&String::from_utf8_lossy(text));
    HeaderValue::try_from(text).ok()
}
