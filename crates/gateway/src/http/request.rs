//! A request with typed access to its headers and body.
//!
//! Owns parsing headers and the body into types. Does not own what they are used for.

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use hyper::{HeaderMap, Method};
use model::{EtagPattern, IndexingDirective, Json, PartitionKey, Precondition, SessionToken};

use super::error::{ApiError, ApiResult};
use super::header::{self, NameFilter};
use super::origin::RequestOrigin;
use engine::Engine;
use engine::operation::{PageOptions, ReadOptions, TriggerNames, WriteOptions};

/// One request to the API.
#[derive(Debug)]
pub(crate) struct ApiRequest {
    pub(crate) method: Method,
    pub(crate) body: Bytes,
    headers: HeaderMap,
    names: NameFilter,
    origin: RequestOrigin,
}

impl ApiRequest {
    /// Creates a request whose body is read later. `names` are those of its headers.
    pub(crate) fn new(
        method: Method,
        (headers, names): (HeaderMap, NameFilter),
        origin: RequestOrigin,
    ) -> Self {
        Self { method, body: Bytes::new(), headers, names, origin }
    }

    /// The same request with another header.
    pub(crate) fn with_header(&self, name: HeaderName, value: HeaderValue) -> Self {
        let mut headers = self.headers.clone();
        headers.insert(name, value);
        let names = NameFilter::new(&headers);
        let request = Self::new(self.method.clone(), (headers, names), self.origin.clone());
        Self { body: self.body.clone(), ..request }
    }

    /// The value of a header, trimmed. A value that is not printable ASCII counts as absent.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        if !self.names.may_contain(name) {
            return None;
        }
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim_ascii)
    }

    /// All headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Scheme and host as the client sent them.
    pub(crate) fn origin(&self) -> String {
        self.origin.url(&self.headers, "")
    }

    /// Whether a Boolean header is true, in any case.
    pub(crate) fn flag(&self, name: &HeaderName) -> bool {
        self.header(name).is_some_and(|text| text.eq_ignore_ascii_case("true"))
    }

    /// Parses the body.
    pub(crate) fn json(&self) -> ApiResult<Json> {
        Json::parse(&self.body).map_err(ApiError::invalid_payload)
    }

    /// The partition key in the header, if it is present.
    pub(crate) fn partition_key(&self) -> ApiResult<Option<PartitionKey>> {
        let Some(text) = self.header(&header::PARTITION_KEY) else { return Ok(None) };
        let parsed = PartitionKey::parse(text);
        parsed.map(Some).map_err(|invalid| ApiError::from(invalid).with_sub_status(1001))
    }

    /// The partition key in the header, which is required.
    pub(crate) fn required_partition_key(&self) -> ApiResult<PartitionKey> {
        self.partition_key()?.ok_or_else(|| {
            ApiError::bad_request(
                "The partition key supplied in x-ms-partitionkey header has fewer components than defined in the the \
                 collection. Send the header x-ms-documentdb-partitionkey.",
            )
            .with_sub_status(1001)
        })
    }

    pub(crate) fn session_token(&self) -> ApiResult<Option<SessionToken>> {
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

    pub(crate) fn write_options(&self) -> ApiResult<WriteOptions> {
        let triggers = TriggerNames {
            before: self.names(&header::PRE_TRIGGERS),
            after: self.names(&header::POST_TRIGGERS),
        };
        let indexing = match self.header(&header::INDEXING_DIRECTIVE) {
            Some(text) => IndexingDirective::parse(text)?,
            None => IndexingDirective::default(),
        };
        let explain_charge = self.wants_explanation();
        Ok(WriteOptions { precondition: self.if_match(), indexing, explain_charge, triggers })
    }

    /// The names in a header, which commas separate.
    fn names(&self, name: &HeaderName) -> Vec<String> {
        let names = self.header(name).unwrap_or_default().split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// Refuses triggers where the service has none.
    pub(crate) fn refuse_triggers(&self, operation: &str) -> ApiResult<()> {
        for name in [header::PRE_TRIGGERS, header::POST_TRIGGERS] {
            if !self.names(&name).is_empty() {
                return Err(ApiError::unsupported(format!(
                    "Triggers do not run with {operation}. Send the request without {name}."
                )));
            }
        }
        Ok(())
    }

    /// The options of an upsert, the only write that knows If-None-Match. If-Match takes precedence.
    pub(crate) fn upsert_options(&self) -> ApiResult<WriteOptions> {
        let options = self.write_options()?;
        let precondition = options.precondition.or_else(|| self.if_none_match());
        Ok(WriteOptions { precondition, ..options })
    }

    /// Whether the client asks for an explanation of the request charge. The value of the header does not matter.
    pub(crate) fn wants_explanation(&self) -> bool {
        self.header(&header::EXPLAIN_CHARGE).is_some()
    }

    /// The options of a read without a precondition.
    pub(crate) fn read_options(&self, engine: &Engine) -> ApiResult<ReadOptions> {
        let account = engine.settings().consistency;
        let consistency = match self.header(&header::CONSISTENCY_LEVEL) {
            Some(text) => Some(model::ConsistencyLevel::parse(text)?),
            None => None,
        };
        if let Some(asked) = consistency.filter(|asked| asked.is_stronger_than(account)) {
            return Err(ApiError::bad_request(format!(
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
    pub(crate) fn page_options(&self) -> ApiResult<PageOptions> {
        let continuation = self.header(&header::CONTINUATION).filter(|text| !text.is_empty());
        Ok(PageOptions {
            items_max: self.items_max()?,
            continuation: continuation.map(str::to_owned),
        })
    }

    /// The most items of a page; `None` leaves it to the engine. With -1 only the bytes of a page limit it.
    pub(crate) fn items_max(&self) -> ApiResult<Option<usize>> {
        let Some(text) = self.header(&header::MAX_ITEM_COUNT) else { return Ok(None) };
        match text.parse::<i64>() {
            Ok(0) => Ok(None),
            Ok(-1) => Ok(Some(usize::MAX)),
            Ok(count) if count > 0 => Ok(usize::try_from(count).ok()),
            _ => Err(ApiError::bad_request(format!(
                "The input PageSize {text} is invalid. Ensure to provide a positive integer, or -1 for a page as the \
                 service chooses it."
            ))),
        }
    }

    /// Whether the client wants no body in the response.
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

    use super::*;

    #[test]
    fn present_headers_are_found_and_absent_ones_are_not() {
        let names: Vec<HeaderName> = (0..200)
            .map(|number: usize| format!("x-{}-{}", "n".repeat(number % 71), number))
            .map(|name| HeaderName::try_from(name).unwrap())
            .chain([IF_MATCH, header::LSN, header::IS_QUERY, header::PARTITION_KEY])
            .collect();
        let (present, absent) = names.split_at(100);
        let headers = present.iter().map(|name| (name.clone(), HeaderValue::from_static(" v ")));
        let headers: HeaderMap = headers.collect();
        let filter = NameFilter::new(&headers);
        let origin = RequestOrigin::from_uri(&Uri::from_static("/"), "http", filter);
        let request = ApiRequest::new(Method::GET, (headers, filter), origin.clone());
        assert!(present.iter().all(|name| request.header(name) == Some("v")));
        assert!(absent.iter().all(|name| request.header(name).is_none()));
        let filter = NameFilter::new(&HeaderMap::new());
        let empty = ApiRequest::new(Method::GET, (HeaderMap::new(), filter), origin);
        assert!(names.iter().all(|name| empty.header(name).is_none()));
    }
}
