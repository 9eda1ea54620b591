//! A request as the rest of the gateway reads it.
//!
//! Owns reading headers and the body into types. Does not own what they are for.

use bytes::Bytes;
use hyper::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};
use hyper::{HeaderMap, Method};
use model::{EtagPattern, IndexingDirective, Json, PartitionKey, Precondition, SessionToken};

use super::failure::{Failure, Outcome};
use super::header;
use super::origin::Origin;
use engine::Engine;
use engine::operation::{PageOptions, ReadOptions, WriteOptions};

/// One request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) body: Bytes,
    headers: HeaderMap,
    /// The marks of the names of all headers.
    marks: u64,
    origin: Origin,
}

/// One bit for a name; other names may have the same.
fn mark(name: &HeaderName) -> u64 {
    let text = name.as_str().as_bytes();
    let last = text.last().copied().unwrap_or_default();
    1 << ((text.len() ^ usize::from(last)) % 64)
}

impl Request {
    /// A request whose body is still to come.
    pub(crate) fn new(method: Method, headers: HeaderMap, origin: Origin) -> Self {
        let marks = headers.keys().fold(0, |marks, name| marks | mark(name));
        Self { method, body: Bytes::new(), headers, marks, origin }
    }

    /// The text of a header, without the space around it; a header of other bytes is as good as none.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        // Most of the headers that a request may have are not there, and looking for one takes long.
        if self.marks & mark(name) == 0 {
            return None;
        }
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
    }

    /// Scheme and host as the client wrote them.
    pub(crate) fn origin(&self) -> String {
        self.origin.address(&self.headers, "")
    }

    /// Whether a Boolean header says true, in any case.
    pub(crate) fn flag(&self, name: &HeaderName) -> bool {
        self.header(name).is_some_and(|text| text.eq_ignore_ascii_case("true"))
    }

    /// The body as a value.
    pub(crate) fn json(&self) -> Outcome<Json> {
        Json::parse(&self.body).map_err(Failure::invalid_payload)
    }

    /// The partition key of the header, if there is one.
    pub(crate) fn partition_key(&self) -> Outcome<Option<PartitionKey>> {
        let Some(text) = self.header(&header::PARTITION_KEY) else { return Ok(None) };
        let parsed = PartitionKey::parse(text);
        parsed.map(Some).map_err(|invalid| Failure::from(invalid).sub_status(1001))
    }

    /// The partition key of the header, which must be there.
    pub(crate) fn required_partition_key(&self) -> Outcome<PartitionKey> {
        self.partition_key()?.ok_or_else(|| {
            Failure::bad_request(
                "The partition key supplied in x-ms-partitionkey header has fewer components than defined in the the \
                 collection. Send the header x-ms-documentdb-partitionkey.",
            )
            .sub_status(1001)
        })
    }

    pub(crate) fn session_token(&self) -> Outcome<Option<SessionToken>> {
        match self.header(&header::SESSION_TOKEN).filter(|text| !text.is_empty()) {
            Some(text) => Ok(Some(SessionToken::parse(text)?)),
            None => Ok(None),
        }
    }

    pub(crate) fn if_match(&self) -> Option<Precondition> {
        self.header(&IF_MATCH).map(|text| Precondition::IfMatch(EtagPattern::parse(text)))
    }

    pub(crate) fn if_none_match(&self) -> Option<Precondition> {
        self.header(&IF_NONE_MATCH).map(|text| Precondition::IfNoneMatch(EtagPattern::parse(text)))
    }

    pub(crate) fn write_options(&self) -> Outcome<WriteOptions> {
        for name in [header::PRE_TRIGGERS, header::POST_TRIGGERS] {
            if self.header(&name).is_some_and(|triggers| !triggers.is_empty()) {
                return Err(Failure::unsupported(format!(
                    "Executing triggers is not supported yet. Send the request without {name}."
                )));
            }
        }
        let indexing = match self.header(&header::INDEXING_DIRECTIVE) {
            Some(text) => IndexingDirective::parse(text)?,
            None => IndexingDirective::default(),
        };
        let explain_charge = self.wants_explanation();
        Ok(WriteOptions { precondition: self.if_match(), indexing, explain_charge })
    }

    /// Whether the reply says why it costs what it costs; the value of the header does not matter.
    pub(crate) fn wants_explanation(&self) -> bool {
        self.header(&header::EXPLAIN_CHARGE).is_some()
    }

    /// The options of a read without a precondition.
    pub(crate) fn read_options(&self, engine: &Engine) -> Outcome<ReadOptions> {
        let account = engine.settings().consistency;
        let consistency = match self.header(&header::CONSISTENCY_LEVEL) {
            Some(text) => Some(model::ConsistencyLevel::parse(text)?),
            None => None,
        };
        if let Some(asked) = consistency.filter(|asked| asked.is_stronger_than(account)) {
            return Err(Failure::bad_request(format!(
                "ConsistencyLevel {asked} specified in the request is invalid when service is configured with \
                 consistency level {account}. Ensure the request consistency level is not stronger than the service \
                 consistency level."
            )));
        }
        Ok(ReadOptions {
            session_token: self.session_token()?,
            precondition: None,
            consistency,
            explain_charge: self.wants_explanation(),
        })
    }

    /// How large a page may be and where it starts.
    pub(crate) fn page(&self) -> Outcome<PageOptions> {
        let continuation = self.header(&header::CONTINUATION).filter(|text| !text.is_empty());
        Ok(PageOptions {
            items_max: self.items_max()?,
            continuation: continuation.map(str::to_owned),
        })
    }

    /// Items of a page at most; none leaves it to the engine.
    pub(crate) fn items_max(&self) -> Outcome<Option<usize>> {
        let Some(text) = self.header(&header::MAX_ITEM_COUNT) else { return Ok(None) };
        match text.parse::<i64>() {
            Ok(-1 | 0) => Ok(None),
            Ok(count) if count > 0 => Ok(usize::try_from(count).ok()),
            _ => Err(Failure::bad_request(format!(
                "The input PageSize {text} is invalid. Ensure to provide a positive integer, or -1 for a page as the \
                 service chooses it."
            ))),
        }
    }

    /// Whether the client wants no body back.
    pub(crate) fn wants_minimal(&self) -> bool {
        let prefer = self.header(&HeaderName::from_static("prefer"));
        prefer.is_some_and(|text| text.eq_ignore_ascii_case("return=minimal"))
    }

    /// Whether a POST on a feed is a query.
    pub(crate) fn is_query(&self) -> bool {
        if self.flag(&header::IS_QUERY) || self.flag(&header::IS_QUERY_OTHER) {
            return true;
        }
        let content_type = self.header(&hyper::header::CONTENT_TYPE).unwrap_or_default();
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/query+json")
            || kind.eq_ignore_ascii_case("application/sql")
    }
}

#[cfg(test)]
mod tests {
    use hyper::Uri;
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn every_header_that_is_there_is_found_and_no_other() {
        let names: Vec<HeaderName> = (0..200)
            .map(|number: usize| format!("x-{}-{}", "n".repeat(number % 71), number))
            .map(|name| HeaderName::try_from(name).unwrap())
            .chain([IF_MATCH, header::LSN, header::IS_QUERY, header::PARTITION_KEY])
            .collect();
        let (there, absent) = names.split_at(100);
        let headers = there.iter().map(|name| (name.clone(), HeaderValue::from_static(" v ")));
        let origin = Origin::of(&Uri::from_static("/"), "http");
        let request = Request::new(Method::GET, headers.collect(), origin.clone());
        assert!(there.iter().all(|name| request.header(name) == Some("v")));
        assert!(absent.iter().all(|name| request.header(name).is_none()));
        let empty = Request::new(Method::GET, HeaderMap::new(), origin);
        assert!(names.iter().all(|name| empty.header(name).is_none()));
    }
}
