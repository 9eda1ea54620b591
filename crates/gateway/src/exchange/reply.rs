//! A reply under construction: status, headers, body.
//!
//! Owns the headers that every answer of one kind shares: charge, session token, position, owner. Does not own the
//! socket.

use std::fmt::Display;

use bytes::Bytes;
use engine::{ContainerAddress, Engine};
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use model::{ChargeExplanation, Etag, RequestCharge, SessionToken};

use super::header;
use super::header_text::HeaderText;
use super::request::Request;
use super::tables::{HeaderList, HeaderTables};

/// Clients take headers of a few kilobytes; the smallest terms of a longer explanation are left out.
const EXPLANATION_BYTES_MAX: usize = 6 * 1024;
/// Room for the headers of an answer about an item.
const HEADERS: usize = 48;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// What a request is answered with.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: StatusCode,
    headers: HeaderList,
    body: Bytes,
    /// Where the texts of headers are written.
    written: HeaderText,
    /// The physical partition that answered, when it is only one.
    partition: Option<u32>,
}

impl Reply {
    pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::of_type(JSON, status, body.into())
    }

    pub(crate) fn ok(body: impl Into<Bytes>) -> Self {
        Self::json(StatusCode::OK, body)
    }

    pub(crate) fn empty(status: StatusCode) -> Self {
        Self::json(status, Bytes::new())
    }

    pub(crate) fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Self {
        Self::of_type(HeaderValue::from_static(kind), status, body.into())
    }

    fn of_type(content_type: HeaderValue, status: StatusCode, body: Bytes) -> Self {
        let mut headers = HeaderList::with_capacity(HEADERS);
        headers.push((CONTENT_TYPE, content_type));
        Self { status, headers, body, written: HeaderText::new(), partition: None }
    }

    /// The same reply with a header; a value that headers cannot carry is escaped.
    pub(crate) fn with(self, name: HeaderName, value: impl Display) -> Self {
        self.with_written(name, |written| written.shown(value))
    }

    /// The same reply with a header that is a text.
    pub(crate) fn with_text(self, name: HeaderName, text: &str) -> Self {
        self.with_written(name, |written| written.text(text))
    }

    /// The same reply with a header that is a number.
    pub(crate) fn with_number(self, name: HeaderName, number: u64) -> Self {
        self.with_written(name, |written| written.number(number))
    }

    /// The same reply with a header that is written piece by piece.
    #[inline]
    pub(crate) fn with_written(
        mut self,
        name: HeaderName,
        write: impl FnOnce(&mut HeaderText) -> &mut HeaderText,
    ) -> Self {
        write(&mut self.written);
        if let Some(value) = self.written.take() {
            self.headers.push((name, value));
        }
        self
    }

    /// The same reply with a header that is ready.
    #[inline]
    pub(crate) fn with_value(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The same reply with a header that never changes; where many are answered, the value is a constant instead.
    pub(crate) fn with_static(self, name: HeaderName, value: &'static str) -> Self {
        self.with_value(name, HeaderValue::from_static(value))
    }

    /// The same reply with headers that were made elsewhere.
    pub(crate) fn with_all(
        mut self,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> Self {
        self.headers.extend(headers);
        self
    }

    /// The same reply with the value of one header under another name too, if there is one.
    pub(crate) fn copied(mut self, from: &HeaderName, to: HeaderName) -> Self {
        let found = self.headers.iter().rev().find(|(name, _)| name == from);
        if let Some(value) = found.map(|(_, value)| value.clone()) {
            self.headers.push((to, value));
        }
        self
    }

    /// The physical partition that answered, when it is only one.
    pub(crate) fn partition(&self) -> Option<u32> {
        self.partition
    }

    pub(crate) fn into_headers(self) -> HeaderList {
        self.headers
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

    /// The etag of an item.
    pub(crate) fn item_etag(self, etag: Etag) -> Self {
        self.with_written(ETAG, |written| written.ascii(&etag.to_ascii()))
    }

    pub(crate) fn charge(self, charge: RequestCharge) -> Self {
        self.with_written(header::REQUEST_CHARGE, |written| charge_text(written, charge))
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
    pub(crate) fn session(mut self, token: Option<&SessionToken>) -> Self {
        let Some(token) = token else { return self };
        let mut parts = token.iter();
        let Some((partition, lsn)) = parts.next() else { return self };
        if parts.next().is_none() {
            self.partition = Some(partition);
            self = self
                .with_number(header::PARTITION_KEY_RANGE_ID, u64::from(partition))
                .with_number(header::LSN, lsn.0)
                .copied(&header::LSN, header::LOCAL_LSN);
        }
        self.with_written(header::SESSION_TOKEN, |written| session_text(written, token))
    }

    /// The headers by which clients file the session token of items.
    pub(crate) fn owner(self, container: &ContainerAddress) -> Self {
        let link = &container.link;
        let (database, name) = (link.database.as_str(), link.container.as_str());
        self.with(header::CONTENT_PATH, container.rid)
            .with_written(header::OWNER_FULL_NAME, |written| {
                written.ascii(b"dbs/").text(database).ascii(b"/colls/").text(name)
            })
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn into_response(self, tables: &HeaderTables) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = tables.table(self.headers);
        response
    }
}

/// A session token, the same as it prints.
fn session_text<'a>(written: &'a mut HeaderText, token: &SessionToken) -> &'a mut HeaderText {
    for (place, (partition, lsn)) in token.iter().enumerate() {
        let separator: &[u8] = if place == 0 { b"" } else { b"," };
        written.ascii(separator).number(u64::from(partition)).ascii(b":-1#").number(lsn.0);
    }
    written
}

/// A charge, the same as it prints.
fn charge_text(written: &mut HeaderText, charge: RequestCharge) -> &mut HeaderText {
    let (whole, hundredths) = charge.rounded();
    written.number(whole);
    match (hundredths / 10, hundredths % 10) {
        (0, 0) => written,
        (tenth, 0) => written.ascii(b".").number(tenth),
        (tenth, hundredth) => written.ascii(b".").number(tenth).number(hundredth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_charges_are_written_as_they_print() {
        let mut written = HeaderText::new();
        for text in ["0:-1#0", "7:-1#45", "0:-1#3,12:-1#9223372036854775807,40:-1#1"] {
            let token = SessionToken::parse(text).unwrap();
            let value = session_text(&mut written, &token).take().unwrap();
            assert_eq!(value, token.to_string());
        }
        for parts in (0..450_000).step_by(97).chain([u64::MAX]) {
            let charge = RequestCharge::from_parts(parts);
            let value = charge_text(&mut written, charge).take().unwrap();
            assert_eq!(value, charge.to_string());
        }
    }
}
