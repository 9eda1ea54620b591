//! The gateway as a value: an engine together with the settings and counters of its HTTP API.
//!
//! Owns what all requests share. Does not own dispatching a request (see `dispatch`) or sockets (see `server`); both
//! add methods to `Gateway` from above, so that this module imports neither.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use engine::Engine;
use hyper::header::HeaderValue;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::backup::OpenBackups;
use crate::http::{HeaderMapCache, format_http_date};
use crate::metrics::RequestMetrics;
use crate::request_log::RequestLog;
use crate::session::Sessions;
use crate::settings::GatewaySettings;

/// The HTTP API of an engine. Clones share the engine.
#[derive(Clone, Debug)]
pub struct Gateway {
    inner: Arc<GatewayInner>,
    /// Whether this handle serves a session of the explorer.
    is_explorer: bool,
}

#[derive(Debug)]
struct GatewayInner {
    engine: Engine,
    /// The same, for requests that are left out of the usage.
    uncounted_engine: Engine,
    settings: GatewaySettings,
    /// The certificate of the server as PEM, for clients that want to trust it.
    certificate: OnceLock<String>,
    metrics: RequestMetrics,
    request_log: RequestLog,
    sessions: Sessions,
    backups: OpenBackups,
    cached_headers: HeaderMapCache,
    /// When this gateway was created, as a header value.
    started: HeaderValue,
    /// Requests started so far.
    requests: AtomicU64,
}

impl Gateway {
    /// Creates the HTTP API of an engine.
    #[must_use]
    pub fn new(engine: Engine, settings: GatewaySettings) -> Self {
        let started_ms = engine.environment().now().0;
        let request_log = RequestLog::default();
        if settings.explorer.as_ref().is_some_and(|explorer| explorer.record_requests) {
            request_log.start(started_ms);
        }
        let inner = GatewayInner {
            uncounted_engine: engine.uncounted(),
            engine,
            settings,
            certificate: OnceLock::new(),
            metrics: RequestMetrics::new(started_ms),
            request_log,
            sessions: Sessions::new(),
            backups: OpenBackups::default(),
            cached_headers: HeaderMapCache::default(),
            started: format_with_milliseconds(started_ms),
            requests: AtomicU64::new(0),
        };
        Self { inner: Arc::new(inner), is_explorer: false }
    }

    /// The settings that this gateway was created with.
    #[must_use]
    pub fn settings(&self) -> &GatewaySettings {
        &self.inner.settings
    }

    /// Publishes the certificate of a listener. A gateway with two listeners publishes the first one's.
    pub(crate) fn publish_certificate(&self, pem: String) {
        // Fails if another listener was first, which is the documented choice.
        let _ = self.inner.certificate.set(pem);
    }

    pub(crate) fn certificate(&self) -> Option<&str> {
        self.inner.certificate.get().map(String::as_str)
    }

    pub(crate) fn metrics(&self) -> &RequestMetrics {
        &self.inner.metrics
    }

    pub(crate) fn request_log(&self) -> &RequestLog {
        &self.inner.request_log
    }

    pub(crate) fn backups(&self) -> &OpenBackups {
        &self.inner.backups
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.inner.sessions
    }

    /// The token that begins a session of the explorer, for the one who started the server.
    #[must_use]
    pub fn explorer_token(&self) -> &str {
        self.inner.sessions.start_token()
    }

    pub(crate) fn cached_headers(&self) -> &HeaderMapCache {
        &self.inner.cached_headers
    }

    /// When this gateway was created, as a header value.
    pub(crate) fn started(&self) -> HeaderValue {
        self.inner.started.clone()
    }

    /// Counts a request and returns its number, starting at 1.
    pub(crate) fn next_request_number(&self) -> u64 {
        self.inner.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn engine(&self) -> &Engine {
        if self.is_explorer { &self.inner.uncounted_engine } else { &self.inner.engine }
    }

    /// The same gateway for a request of the explorer: it is left out of the usage that the explorer shows.
    pub(crate) fn for_explorer(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), is_explorer: true }
    }

    /// The activity id of a request: the client's own if it looks like a UUID, otherwise a new one.
    pub(crate) fn activity_id(&self, sent: Option<&HeaderValue>) -> HeaderValue {
        let looks_like_uuid = |sent: &&[u8]| {
            let is_allowed = |byte: &u8| *byte == b'-' || byte.is_ascii_hexdigit();
            sent.len() == Hyphenated::LENGTH && sent.iter().all(is_allowed)
        };
        let sent = sent.map(HeaderValue::as_bytes);
        // Copied, because a clone of the value would keep the buffer of the whole request alive.
        let id = match sent.filter(looks_like_uuid) {
            Some(sent) => HeaderValue::from_bytes(sent),
            None => {
                let mut text = Uuid::encode_buffer();
                HeaderValue::from_str(self.new_activity_id().hyphenated().encode_lower(&mut text))
            }
        };
        id.expect("hexadecimal digits and dashes are valid in a header")
    }

    /// A random UUID of version 4.
    fn new_activity_id(&self) -> Uuid {
        let environment = self.engine().environment();
        let (high, low) = (environment.random(), environment.random());
        let random = u128::from(high) << 64 | u128::from(low);
        uuid::Builder::from_random_bytes(random.to_be_bytes()).into_uuid()
    }
}

/// Formats a date of HTTP with milliseconds.
fn format_with_milliseconds(time_ms: u64) -> HeaderValue {
    let date = format_http_date(time_ms / 1000);
    let date = date.trim_end_matches(" GMT");
    let text = format!("{date}.{:03} GMT", time_ms % 1000);
    HeaderValue::try_from(text).expect("a date consists of ASCII characters")
}
