//! Export of spans and totals to a collector.
//!
//! Owns the bounded outbox and when it is flushed. While a collector is unavailable, spans use memory up to the bound,
//! then the oldest are dropped; requests of the program never wait or fail because of it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;

use super::layer::Telemetry;
use super::otlp;
use super::span::FinishedSpan;

/// Maximum number of spans that wait for the collector.
const SPANS_MAX: usize = 4096;
/// Maximum number of spans in one request.
const REQUEST_SPANS_MAX: usize = 512;
/// The timeout of a request to the collector.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The collector and the spans that wait for it.
pub(super) struct Exporter {
    endpoint: String,
    http: reqwest::Client,
    outbox: Mutex<VecDeque<FinishedSpan>>,
}

/// Why an export failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The collector cannot be reached or is busy. The spans are kept for the next attempt.
    Unavailable(String),
    /// The collector rejected the request. Its spans are dropped: sending them again would fail again.
    Rejected(u16),
}

impl Telemetry {
    /// Sends the waiting spans and the totals. Does nothing if the settings name no collector.
    ///
    /// # Errors
    /// `Unavailable` if a later attempt may succeed, `Rejected` otherwise.
    pub async fn flush(&self) -> Result<(), ExportError> {
        let Some(exporter) = &self.inner.exporter else { return Ok(()) };
        let service_name = &self.inner.settings.service_name;
        loop {
            let spans = exporter.take();
            if spans.is_empty() {
                break;
            }
            let sent = exporter.post("v1/traces", &otlp::traces(service_name, &spans)).await;
            if let Err(ExportError::Unavailable(_)) = &sent {
                // Taken out before the request and put back after it, so that no lock is held while the collector
                // answers.
                exporter.put_back(spans);
            }
            sent?;
        }
        // After the spans, and never put back: totals are cumulative, so the next export contains this one.
        let series = self.inner.totals.snapshot();
        let times = (self.inner.started_ms, self.inner.environment.now().0);
        match series.is_empty() {
            true => Ok(()),
            false => {
                exporter.post("v1/metrics", &otlp::metrics(service_name, &series, times)).await
            }
        }
    }

    /// Flushes at the interval of the settings, until the last clone outside of layers is dropped.
    pub fn start(&self) {
        if self.inner.exporter.is_none() {
            return;
        }
        let Some(handle) = &self.handle else { return };
        // A weak reference to the handle of the program. One to `inner` would never end: the layers hold it as well.
        let alive = Arc::downgrade(handle);
        let inner = Arc::clone(&self.inner);
        let environment = self.inner.environment.clone();
        let interval = Duration::from_secs(self.inner.settings.export_seconds.max(1));
        let sleeper = environment.clone();
        environment.spawn(async move {
            loop {
                sleeper.sleep(interval).await;
                if alive.strong_count() == 0 {
                    return;
                }
                let telemetry = Self { inner: Arc::clone(&inner), handle: None };
                if let Err(error) = telemetry.flush().await {
                    tracing::warn!(error = %error, "telemetry was not sent");
                }
            }
        });
    }

    /// Flushes a last time.
    pub async fn stop(&self) {
        if let Err(error) = self.flush().await {
            tracing::warn!(error = %error, "the last telemetry was not sent");
        }
    }
}

impl Exporter {
    pub(super) fn new(endpoint: &str) -> Self {
        let http = reqwest::Client::builder().timeout(TIMEOUT).build().unwrap_or_default();
        Self { endpoint: endpoint.to_owned(), http, outbox: Mutex::default() }
    }

    pub(super) fn push(&self, span: FinishedSpan) {
        let mut outbox = self.lock();
        if outbox.len() >= SPANS_MAX {
            outbox.pop_front();
        }
        outbox.push_back(span);
    }

    fn take(&self) -> Vec<FinishedSpan> {
        let mut outbox = self.lock();
        let count = outbox.len().min(REQUEST_SPANS_MAX);
        outbox.drain(..count).collect()
    }

    /// Returns spans to the front, in their order. Newer spans that arrived meanwhile stay; the bound drops the oldest.
    fn put_back(&self, spans: Vec<FinishedSpan>) {
        let mut outbox = self.lock();
        for span in spans.into_iter().rev() {
            if outbox.len() < SPANS_MAX {
                outbox.push_front(span);
            }
        }
    }

    async fn post(&self, path: &str, body: &Json) -> Result<(), ExportError> {
        let request = self.http.post(format!("{}/{path}", self.endpoint)).json(body);
        let response =
            request.send().await.map_err(|error| ExportError::Unavailable(error.to_string()))?;
        match response.status().as_u16() {
            200..=299 => Ok(()),
            // The statuses that the protocol names as worth another attempt.
            status @ (429 | 502 | 503 | 504) => {
                Err(ExportError::Unavailable(format!("status {status}")))
            }
            status => Err(ExportError::Rejected(status)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<FinishedSpan>> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(formatter, "the collector cannot be reached: {why}"),
            Self::Rejected(status) => {
                write!(formatter, "the collector refused the telemetry with status {status}")
            }
        }
    }
}

impl std::error::Error for ExportError {}
