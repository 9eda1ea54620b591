//! One tracing span per call: the operation, its charge and its result.
//!
//! Owns the names of the span and its fields, which telemetry reads. A call that reads several pages is one span.
//! Without a subscriber the cost is not measurable.

use crate::error::{Error, ErrorKind, Result};
use crate::request::{BackendRequest, BackendResponse, ResponseBody};

/// The span of a running call.
#[derive(Debug)]
pub(crate) struct Trace {
    span: tracing::Span,
    charge: f64,
    rows: u64,
    pages: u64,
    retries: u64,
}

impl Trace {
    pub(crate) fn begin(request: &BackendRequest) -> Self {
        use tracing::field::Empty;
        let span = tracing::debug_span!(
            target: "client::call",
            "data call",
            operation = request.name(),
            database = Empty,
            container = Empty,
            request_units = Empty,
            rows = Empty,
            pages = Empty,
            retries = Empty,
            status = Empty,
        );
        // The names are borrowed from the request only if somebody listens.
        if !span.is_disabled() {
            let (database, container) = request.names();
            span.record("database", database);
            container.map(|container| span.record("container", container));
        }
        Self { span, charge: 0.0, rows: 0, pages: 0, retries: 0 }
    }

    /// The span, to instrument the attempts.
    pub(super) fn span(&self) -> tracing::Span {
        self.span.clone()
    }

    /// Counts one response and its attempts.
    pub(super) fn count(&mut self, response: &BackendResponse, attempts: u32) {
        self.charge += response.charge;
        self.retries += u64::from(attempts.saturating_sub(1));
        let (rows, pages) = match &response.body {
            ResponseBody::Item(_) => (1, 0),
            ResponseBody::Items(items) => (items.len(), 0),
            ResponseBody::Rows { rows, .. } => (rows.len(), 1),
            ResponseBody::Changes { changes, .. } => (changes.len(), 1),
            ResponseBody::Batch(results) => (results.len(), 0),
            _ => (0, 0),
        };
        self.rows += u64::try_from(rows).unwrap_or(u64::MAX);
        self.pages += pages;
    }

    /// Ends the span. A span that is dropped before has no status: its caller was cancelled.
    pub(crate) fn end<T>(self, result: &Result<T>) {
        if self.span.is_disabled() {
            return;
        }
        let (status, retries, refused) = match result {
            Ok(_) => ("ok", self.retries, 0.0),
            Err(error) => {
                let retries = u64::from(error.attempts().saturating_sub(1));
                (name_of(error), retries, error.charge())
            }
        };
        self.span.record("request_units", self.charge + refused);
        self.span.record("rows", self.rows);
        self.span.record("pages", self.pages);
        // An error knows the attempts of its own request; earlier requests of the call are in `self.retries`.
        self.span.record("retries", retries.max(self.retries));
        self.span.record("status", status);
    }
}

fn name_of(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => "not found",
        ErrorKind::Conflict => "conflict",
        ErrorKind::Precondition => "precondition",
        ErrorKind::Throttled { .. } => "throttled",
        ErrorKind::TooLarge => "too large",
        ErrorKind::BadRequest => "bad request",
        ErrorKind::Unauthorized => "unauthorized",
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Unexpected => "unexpected",
    }
}
