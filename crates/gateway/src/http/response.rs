//! A response under construction: status, headers, body.
//!
//! Owns the headers that several responses share: charge, session token, position, container. Does not own the socket.

use std::fmt::Display;

use bytes::Bytes;
use engine::{ContainerAddress, Engine};
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use hyper::{Method, Response, StatusCode};
use model::{ChargeExplanation, Etag, PreconditionResult, RequestCharge, SessionToken};

use super::cached_headers::{ContainerHeaders, HeaderList, HeaderMapCache};
use super::header;
use super::header_value::{HeaderValueWriter, WrittenValue};
use super::percent::percent_encode_component;
use super::request::ApiRequest;

/// Clients accept headers of a few kilobytes; the smallest terms of a longer explanation are left out.
const EXPLANATION_BYTES_MAX: usize = 6 * 1024;
/// Enough for the headers of a response about an item.
const HEADERS_CAPACITY: usize = 48;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The response to one request.
#[derive(Clone, Debug)]
pub(crate) struct ApiResponse {
    status: StatusCode,
    headers: Vec<(HeaderName, WrittenValue)>,
    body: Bytes,
    /// Writes all header values into one buffer.
    writer: HeaderValueWriter,
    /// The physical partition that served the request, if it was a single one.
    partition: Option<u32>,
    /// What is in the header of the charge, for counting.
    charged: RequestCharge,
}

impl ApiResponse {
    pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::with_content_type(JSON, status, body.into())
    }

    pub(crate) fn ok(body: impl Into<Bytes>) -> Self {
        Self::json(StatusCode::OK, body)
    }

    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::json(status, Bytes::new())
    }

    pub(crate) fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Self {
        Self::with_content_type(HeaderValue::from_static(kind), status, body.into())
    }

    fn with_content_type(content_type: HeaderValue, status: StatusCode, body: Bytes) -> Self {
        let mut headers = Vec::with_capacity(HEADERS_CAPACITY);
        headers.push((CONTENT_TYPE, WrittenValue::Value(content_type)));
        Self {
            status,
            headers,
            body,
            writer: HeaderValueWriter::new(),
            partition: None,
            charged: RequestCharge::ZERO,
        }
    }

    /// Adds a header. Characters that headers cannot carry are percent-encoded.
    pub(crate) fn with(self, name: HeaderName, value: impl Display) -> Self {
        self.with_header_from(name, |writer| writer.display(value))
    }

    /// Adds a header whose value is a text.
    pub(crate) fn with_text(self, name: HeaderName, text: &str) -> Self {
        self.with_header_from(name, |writer| writer.text(text))
    }

    /// Adds a header whose value is a number.
    pub(crate) fn with_number(self, name: HeaderName, number: u64) -> Self {
        self.with_header_from(name, |writer| writer.number(number))
    }

    /// Adds a header whose value is written in pieces.
    #[inline]
    pub(crate) fn with_header_from(
        mut self,
        name: HeaderName,
        write: impl FnOnce(&mut HeaderValueWriter) -> &mut HeaderValueWriter,
    ) -> Self {
        write(&mut self.writer);
        if let Some(value) = self.writer.take() {
            self.headers.push((name, value));
        }
        self
    }

    /// Adds a header whose value exists already.
    #[inline]
    pub(crate) fn with_value(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, WrittenValue::Value(value)));
        self
    }

    /// Adds a header with a constant value. Frequent responses pass a `HeaderValue` constant to `with_all` instead,
    /// which skips validating the text.
    pub(crate) fn with_static(self, name: HeaderName, value: &'static str) -> Self {
        self.with_value(name, HeaderValue::from_static(value))
    }

    /// Adds several headers.
    pub(crate) fn with_all(
        mut self,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> Self {
        let headers = headers.into_iter();
        self.headers.extend(headers.map(|(name, value)| (name, WrittenValue::Value(value))));
        self
    }

    /// Repeats the value of one header under another name, if the header is present.
    pub(crate) fn copy_header(mut self, from: &HeaderName, to: HeaderName) -> Self {
        // From the end, because a header that was just added is usually the one that is copied.
        let found = self.headers.iter().rev().find(|(name, _)| name == from);
        if let Some(value) = found.map(|(_, value)| value.clone()) {
            self.headers.push((to, value));
        }
        self
    }

    /// The physical partition that served the request, if it was a single one.
    pub(crate) fn partition(&self) -> Option<u32> {
        self.partition
    }

    /// The response to a read with If-None-Match: "not modified" without a body if the client has the current state.
    pub(crate) fn unless_unmodified(self, request: &ApiRequest) -> Self {
        let Some(precondition) = request.if_none_match() else { return self };
        let etag = self.header(&ETAG);
        let is_read = request.method == Method::GET && self.status == StatusCode::OK;
        if !is_read || precondition.check(etag) == PreconditionResult::Proceed {
            return self;
        }
        Self { status: StatusCode::NOT_MODIFIED, body: Bytes::new(), ..self }
    }

    pub(crate) fn into_headers(self) -> HeaderList {
        let values = self.writer.finish();
        self.headers.into_iter().map(|(name, value)| (name, values.get(value))).collect()
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

    /// The log of a script.
    pub(crate) fn script_log(self, log: &str) -> Self {
        self.with_all(script_log_header(log))
    }

    /// The etag of an item.
    pub(crate) fn item_etag(self, etag: Etag) -> Self {
        self.with_header_from(ETAG, |writer| writer.ascii(&etag.to_ascii()))
    }

    pub(crate) fn charge(mut self, charge: RequestCharge) -> Self {
        self.charged = charge;
        self.with_header_from(header::REQUEST_CHARGE, |writer| write_charge(writer, charge))
    }

    /// Adds the explanation of the charge, if the client asked for one.
    pub(crate) fn charge_explanation(self, explanation: Option<Box<ChargeExplanation>>) -> Self {
        let text = explanation.map(|explanation| explanation.to_json_within(EXPLANATION_BYTES_MAX));
        self.with_some(header::EXPLAIN_CHARGE, text)
    }

    /// Adds an explanation with a single term, if the client asked for one.
    pub(crate) fn single_term_explanation(
        self,
        engine: &Engine,
        request: &ApiRequest,
        operation: &'static str,
        charge: RequestCharge,
    ) -> Self {
        let explanation = || {
            let profile = engine.settings().charge_profile;
            Box::new(ChargeExplanation::of_whole(operation, profile, charge))
        };
        self.charge_explanation(request.wants_explanation().then(explanation))
    }

    /// Adds the session token. If it names a single physical partition, adds the partition and its position too.
    pub(crate) fn session_token(mut self, token: Option<&SessionToken>) -> Self {
        let Some(token) = token else { return self };
        let mut positions = token.iter();
        let Some((partition, lsn)) = positions.next() else { return self };
        // Only a request to one partition has a position; clients would take it for that of the container otherwise.
        if positions.next().is_none() {
            self.partition = Some(partition);
            self = self
                .with_number(header::PARTITION_KEY_RANGE_ID, u64::from(partition))
                .with_number(header::LSN, lsn.0)
                .copy_header(&header::LSN, header::LOCAL_LSN);
        }
        self.with_header_from(header::SESSION_TOKEN, |writer| write_session_token(writer, token))
    }

    /// Adds the headers by which clients find the container that a session token belongs to.
    pub(crate) fn container_headers(self, container: &ContainerAddress) -> Self {
        let derived = container.extension.get_or_init(|| ContainerHeaders::new(container));
        let Some(ContainerHeaders { content_path, owner_full_name, .. }) = derived else {
            return self;
        };
        self.with_value(header::CONTENT_PATH, content_path.clone())
            .with_value(header::OWNER_FULL_NAME, owner_full_name.clone())
    }

    /// The text of a header, if it is present.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        let found = self.headers.iter().rev().find(|(found, _)| found == name);
        found.and_then(|(_, value)| self.writer.text_of(value))
    }

    pub(crate) fn charged(&self) -> RequestCharge {
        self.charged
    }

    /// Bytes of the body.
    pub(crate) fn body_bytes(&self) -> usize {
        self.body.len()
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn into_http(self, cache: &HeaderMapCache) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        let values = self.writer.finish();
        *response.headers_mut() = cache.build_map(self.headers, |value| values.get(value));
        response
    }
}

/// Writes a session token: `partition:-1#lsn` for each physical partition, separated by commas. The same text as its
/// `Display`, without the cost of formatting.
fn write_session_token<'a>(
    writer: &'a mut HeaderValueWriter,
    token: &SessionToken,
) -> &'a mut HeaderValueWriter {
    for (index, (partition, lsn)) in token.iter().enumerate() {
        let separator: &[u8] = if index == 0 { b"" } else { b"," };
        writer.ascii(separator).number(u64::from(partition)).ascii(b":-1#").number(lsn.0);
    }
    writer
}

/// Writes a charge: the same text as its `Display`, without the cost of formatting.
fn write_charge(writer: &mut HeaderValueWriter, charge: RequestCharge) -> &mut HeaderValueWriter {
    let (whole, hundredths) = charge.rounded();
    writer.number(whole);
    match (hundredths / 10, hundredths % 10) {
        (0, 0) => writer,
        (tenth, 0) => writer.ascii(b".").number(tenth),
        // Digit by digit: as one number, five hundredths would lose their zero.
        (tenth, hundredth) => writer.ascii(b".").number(tenth).number(hundredth),
    }
}

/// The log of a script as a header; escaped, because it has lines.
pub(super) fn script_log_header(log: &str) -> Option<(HeaderName, HeaderValue)> {
    let value = HeaderValue::from_str(&percent_encode_component(log)).ok()?;
    Some((header::SCRIPT_LOG, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_tokens_and_charges_are_written_as_they_print() {
        let mut writer = HeaderValueWriter::new();
        for text in ["0:-1#0", "7:-1#45", "0:-1#3,12:-1#9223372036854775807,40:-1#1"] {
            let token = SessionToken::parse(text).unwrap();
            let value = write_session_token(&mut writer, &token).take().unwrap();
            assert_eq!(writer.text_of(&value), Some(&*token.to_string()));
        }
        for parts in (0..450_000).step_by(97).chain([u64::MAX]) {
            let charge = RequestCharge::from_parts(parts);
            let value = write_charge(&mut writer, charge).take().unwrap();
            assert_eq!(writer.text_of(&value), Some(&*charge.to_string()));
        }
    }
}
