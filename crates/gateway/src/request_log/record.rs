//! One recorded request, and its JSON: in a list, or with headers and the shape of its body.

use bytes::Bytes;
use hyper::header::{AUTHORIZATION, COOKIE, HeaderName, USER_AGENT};
use hyper::{HeaderMap, Method};
use model::{Json, Number, Object};

use crate::http::{ApiResponse, header, operation_name};

/// Longer bodies are not kept, so that the whole log has bounded memory.
const BODY_BYTES_MAX: usize = 4096;
/// Entries of an array whose shapes are shown.
const SHAPE_ENTRIES_MAX: usize = 3;

/// The target of the events about requests, for filters.
const REQUESTS: &str = "planisphere::requests";

/// Whether somebody listens to the events about requests. Without a subscriber this is one load.
pub(super) fn is_logged() -> bool {
    tracing::enabled!(target: REQUESTS, tracing::Level::INFO)
}

/// A request while it is handled, and afterwards.
#[derive(Clone, Debug)]
pub(crate) struct RequestRecord {
    pub(super) number: u64,
    pub(super) time_ms: u64,
    pub(super) method: Method,
    pub(super) path: String,
    headers: HeaderMap,
    body: Bytes,
    body_bytes: usize,
    /// Whether it belongs to the API and not to pages or health checks; only then it is kept.
    pub(super) is_api: bool,
    /// Whether a session of the explorer made it.
    pub(super) is_explorer: bool,
    pub(super) status: u16,
    sub_status: u64,
    pub(super) charge: f64,
    pub(super) partition: Option<String>,
    duration_us: u64,
    answer_bytes: usize,
    activity_id: String,
}

impl RequestRecord {
    pub(crate) fn new<B>(time_ms: u64, request: &hyper::Request<B>) -> Self {
        Self {
            number: 0,
            time_ms,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            headers: request.headers().clone(),
            body: Bytes::new(),
            body_bytes: 0,
            is_api: false,
            is_explorer: false,
            status: 0,
            sub_status: 0,
            charge: 0.0,
            partition: None,
            duration_us: 0,
            answer_bytes: 0,
            activity_id: String::new(),
        }
    }

    /// Notes that the request is one of the API.
    pub(crate) fn set_body(&mut self, body: &Bytes, is_explorer: bool) {
        self.is_api = true;
        self.is_explorer = is_explorer;
        self.body_bytes = body.len();
        if body.len() <= BODY_BYTES_MAX {
            // Copied: a slice would keep the buffer of the whole connection alive.
            self.body = Bytes::copy_from_slice(body);
        }
    }

    /// Notes a request of the API that was refused before its body was read.
    pub(crate) fn set_refused(&mut self) {
        self.is_api = true;
    }

    pub(crate) fn set_response(
        &mut self,
        response: &ApiResponse,
        activity_id: &str,
        duration_us: u64,
    ) {
        let text = |name: &HeaderName| response.header(name).unwrap_or_default().to_owned();
        self.status = response.status().as_u16();
        self.sub_status = text(&header::SUBSTATUS).parse().unwrap_or_default();
        self.charge = text(&header::REQUEST_CHARGE).parse().unwrap_or_default();
        self.partition = response.header(&header::PARTITION_KEY_RANGE_ID).map(str::to_owned);
        self.answer_bytes = response.body_bytes();
        self.activity_id = activity_id.to_owned();
        self.duration_us = duration_us;
    }

    /// Says what happened to those who listen: one event for each request. Values of items are not in it, except an id
    /// in a path.
    pub(crate) fn log(&self) {
        let method = self.method.as_str();
        let path = self.path.as_str();
        let partition = self.partition.as_deref();
        if self.is_api {
            tracing::info!(
                target: REQUESTS, method, path, operation = self.operation(), status = self.status,
                substatus = self.sub_status, charge = self.charge, duration_us = self.duration_us,
                bytes = self.answer_bytes, partition, activity_id = self.activity_id, "request",
            );
        } else {
            tracing::debug!(
                target: REQUESTS, method, path, status = self.status,
                duration_us = self.duration_us, bytes = self.answer_bytes, "request outside the API",
            );
        }
    }

    /// What the request did.
    pub(super) fn operation(&self) -> &'static str {
        operation_name(&self.method, &self.path, &self.headers)
    }

    /// `database/container` of the path, if it names both.
    pub(super) fn container(&self) -> Option<String> {
        let mut parts = self.path.trim_matches('/').split('/');
        let (dbs, database) = (parts.next()?, parts.next()?);
        let (colls, container) = (parts.next()?, parts.next()?);
        (dbs == "dbs" && colls == "colls").then(|| format!("{database}/{container}"))
    }

    /// The members of a list.
    pub(super) fn summary(&self) -> Object {
        let mut object = Object::new();
        object.insert("number", integer(self.number));
        object.insert("time", integer(self.time_ms));
        object.insert("method", self.method.as_str());
        object.insert("path", self.path.as_str());
        object.insert("operation", self.operation());
        object.insert("status", i64::from(self.status));
        object.insert("subStatus", integer(self.sub_status));
        object.insert("charge", Number::from_f64(self.charge).map_or(Json::Null, Json::Number));
        object.insert("microseconds", integer(self.duration_us));
        let agent = self.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        object.insert("client", agent.unwrap_or_default());
        object.insert("explorer", self.is_explorer);
        object.insert("requestBytes", integer(self.body_bytes as u64));
        object.insert("responseBytes", integer(self.answer_bytes as u64));
        object
    }

    /// The whole record. Values of the body and of the partition key are masked unless asked for; the signature always
    /// is.
    pub(super) fn detail(&self, shows_values: bool) -> Json {
        let mut object = self.summary();
        object.insert("activityId", self.activity_id.as_str());
        if let Some(partition) = &self.partition {
            object.insert("partition", partition.as_str());
        }
        let mut headers = Object::new();
        for (name, value) in &self.headers {
            let is_secret =
                *name == AUTHORIZATION || *name == COOKIE || *name == header::SESSION_CSRF;
            let is_value = *name == header::PARTITION_KEY;
            let value = value.to_str().unwrap_or("(not text)");
            let is_masked = is_secret || (is_value && !shows_values);
            headers.insert(name.as_str(), if is_masked { "(masked)" } else { value });
        }
        object.insert("headers", headers);
        object.insert("masked", !shows_values);
        if !self.body.is_empty() {
            let parsed = Json::parse(&self.body).ok();
            let body = match parsed {
                Some(json) if shows_values => json,
                Some(json) => shape(&json),
                None => Json::from("(not JSON)"),
            };
            object.insert("body", body);
        } else if self.body_bytes > 0 {
            object.insert("body", "(too long to be kept)");
        }
        Json::Object(object)
    }
}

/// The names and types of a value, without its values.
fn shape(json: &Json) -> Json {
    match json {
        Json::Null => Json::from("null"),
        Json::Bool(_) => Json::from("boolean"),
        Json::Number(_) => Json::from("number"),
        Json::String(_) => Json::from("string"),
        Json::Array(entries) => {
            Json::Array(entries.iter().take(SHAPE_ENTRIES_MAX).map(shape).collect())
        }
        Json::Object(object) => {
            let mut shapes = Object::new();
            for (name, value) in object.iter() {
                shapes.insert(name, shape(value));
            }
            Json::Object(shapes)
        }
    }
}

pub(super) fn integer(number: u64) -> Json {
    Json::from(i64::try_from(number).unwrap_or(i64::MAX))
}
