//! The gateway as a value: an engine with the settings of its front.
//!
//! Owns the answer to one request: identify, authorize, dispatch. Does not own sockets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use engine::{AttachedKind, Engine};
use hyper::Method;
use hyper::header::HeaderValue;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::authorization::{Principal, authorize};
use crate::exchange::{Failure, HeaderTables, Outcome, Reply, Request, header, http_date};
use crate::observe::{self, Metrics};
use crate::resource::{self, attached};
use crate::route::{Path, Route};
use crate::settings::Settings;

/// An engine behind HTTP. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Gateway {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    settings: Settings,
    /// The certificate of the server, for clients that want to trust it.
    certificate: OnceLock<String>,
    metrics: Metrics,
    header_tables: HeaderTables,
    /// When this gateway was made, as a header tells it.
    began: HeaderValue,
    /// Requests begun so far.
    requests: AtomicU64,
}

impl Inner {
    fn new(engine: Engine, settings: Settings) -> Self {
        let began_ms = engine.environment().now().0;
        Self {
            engine,
            settings,
            certificate: OnceLock::new(),
            metrics: Metrics::starting(began_ms),
            header_tables: HeaderTables::default(),
            began: state_change(began_ms),
            requests: AtomicU64::new(0),
        }
    }
}

impl Gateway {
    /// Puts a front on an engine.
    #[must_use]
    pub fn new(engine: Engine, settings: Settings) -> Self {
        Self { inner: Arc::new(Inner::new(engine, settings)) }
    }

    /// The settings this gateway was made with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn offer_certificate(&self, pem: String) {
        // A gateway that listens twice offers its first certificate.
        let _ = self.inner.certificate.set(pem);
    }

    pub(crate) fn certificate(&self) -> Option<&str> {
        self.inner.certificate.get().map(String::as_str)
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }

    pub(crate) fn header_tables(&self) -> &HeaderTables {
        &self.inner.header_tables
    }

    /// When this gateway became what it is.
    pub(crate) fn began(&self) -> HeaderValue {
        self.inner.began.clone()
    }

    /// The number of a request.
    pub(crate) fn next_request(&self) -> u64 {
        self.inner.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// The activity id of a request: the client's own if it has the form of one, otherwise a new one.
    pub(crate) fn activity_id(&self, headers: &hyper::HeaderMap) -> HeaderValue {
        let has_form = |sent: &&[u8]| {
            let is_part = |byte: &u8| *byte == b'-' || byte.is_ascii_hexdigit();
            sent.len() == Hyphenated::LENGTH && sent.iter().all(is_part)
        };
        let sent = headers.get(header::ACTIVITY_ID).map(HeaderValue::as_bytes).filter(has_form);
        // A copy: the answer must not keep the whole request alive.
        let id = match sent {
            Some(sent) => HeaderValue::from_bytes(sent),
            None => {
                let mut text = Uuid::encode_buffer();
                HeaderValue::from_str(self.new_activity_id().hyphenated().encode_lower(&mut text))
            }
        };
        id.expect("digits and dashes are ASCII letters")
    }

    /// A random UUID (version 4).
    fn new_activity_id(&self) -> Uuid {
        let environment = self.engine().environment();
        let (high, low) = (environment.random(), environment.random());
        let random = u128::from(high) << 64 | u128::from(low);
        uuid::Builder::from_random_bytes(random.to_be_bytes()).into_uuid()
    }

    /// Whether the caller of a request may make it; asked before the body is read.
    pub(crate) async fn authorize(&self, request: &Request, path: &Path<'_>) -> Outcome<Principal> {
        if request.method == Method::OPTIONS {
            return Err(Failure::forbidden("Requests of other origins are not allowed."));
        }
        authorize(self, request, path).await
    }

    /// Answers an authorized request.
    pub(crate) async fn answer(&self, request: &Request, path: &Path<'_>) -> Outcome<Reply> {
        // The futures of rare requests are large; each has a place of its own, so that a point read does not carry
        // them.
        let Some(route) = path.route() else { return Err(unknown_path(path)) };
        let engine = self.engine();
        match route {
            Route::Account => resource::account::answer(self, request),
            Route::Addresses => Err(Failure::bad_request(
                "Direct mode is not served here. Choose Gateway mode in the settings of the client.",
            )),
            Route::Usage => observe::usage(self, request),
            Route::Report => observe::report(self, request),
            Route::Offers => Box::pin(resource::offer::list(engine, request)).await,
            Route::Offer(id) => Box::pin(resource::offer::answer(engine, request, id)).await,
            Route::Databases => Box::pin(resource::database::feed(engine, request)).await,
            Route::Database(id) => Box::pin(resource::database::answer(engine, request, id)).await,
            Route::Containers(database) => {
                Box::pin(resource::container::feed(engine, request, database)).await
            }
            Route::Container(database, container, inner) => {
                resource::container::dispatch(self, request, (database, container), inner).await
            }
            Route::Users(database) => {
                let place = attached::below_database(engine, database, AttachedKind::User)?;
                Box::pin(attached::feed(self, request, &place)).await
            }
            Route::User(database, user) => {
                let place = attached::below_database(engine, database, AttachedKind::User)?;
                Box::pin(attached::single(self, request, &place, user)).await
            }
            Route::Permissions(database, user) => {
                let place = Box::pin(attached::below_user(engine, database, user)).await?;
                Box::pin(attached::feed(self, request, &place)).await
            }
            Route::Permission(database, user, permission) => {
                let place = Box::pin(attached::below_user(engine, database, user)).await?;
                Box::pin(attached::single(self, request, &place, permission)).await
            }
            Route::EncryptionKeys(database) => {
                let kind = AttachedKind::ClientEncryptionKey;
                let place = attached::below_database(engine, database, kind)?;
                Box::pin(attached::feed(self, request, &place)).await
            }
            Route::EncryptionKey(database, key) => {
                let kind = AttachedKind::ClientEncryptionKey;
                let place = attached::below_database(engine, database, kind)?;
                Box::pin(attached::single(self, request, &place, key)).await
            }
        }
    }
}

/// A date with milliseconds.
fn state_change(began_ms: u64) -> HeaderValue {
    let date = http_date(began_ms / 1000);
    let date = date.trim_end_matches(" GMT");
    let text = format!("{date}.{:03} GMT", began_ms % 1000);
    HeaderValue::try_from(text).expect("a date is of ASCII letters")
}

fn unknown_path(path: &Path<'_>) -> Failure {
    if path.last_segment() == Some("$batch") {
        return Failure::method_not_allowed();
    }
    Failure::bad_request("Request url is invalid.")
}
