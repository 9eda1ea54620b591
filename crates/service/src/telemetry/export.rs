//! Sending what was gathered to a collector.
//!
//! Owns the outbox, bounded, and when it is emptied. A collector that is away costs memory up to the bound and then the
//! oldest spans, never a request of the program.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;

use super::layer::Telemetry;
use super::otlp;
use super::span::Ended;

/// Spans kept while the collector is away.
const SPANS_MAX: usize = 4096;
/// Spans of one request.
const REQUEST_SPANS_MAX: usize = 512;
/// How long a collector may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where spans wait, and where they go.
pub(super) struct Exporter {
    endpoint: String,
    http: reqwest::Client,
    outbox: Mutex<VecDeque<Ended>>,
}

/// Why an export failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The collector is away or busy; what was to be sent waits.
    Away(String),
    /// The collector refused what was sent; it is dropped.
    Refused(u16),
}

impl Telemetry {
    /// Sends what waits. Does nothing when the settings name no collector.
    ///
    /// # Errors
    /// `Away` when it is to be tried again, `Refused` when it is not.
    pub async fn flush(&self) -> Result<(), ExportError> {
        let Some(exporter) = &self.inner.exporter else { return Ok(()) };
        let service_name = &self.inner.settings.service_name;
        loop {
            let spans = exporter.take();
            if spans.is_empty() {
                break;
            }
            let sent = exporter.post("v1/traces", &otlp::traces(service_name, &spans)).await;
            if let Err(ExportError::Away(_)) = &sent {
                exporter.put_back(spans);
            }
            sent?;
        }
        let series = self.inner.totals.snapshot();
        let times = (self.inner.began_ms, self.inner.environment.now().0);
        match series.is_empty() {
            true => Ok(()),
            false => {
                exporter.post("v1/metrics", &otlp::metrics(service_name, &series, times)).await
            }
        }
    }

    /// Sends what waits every few seconds, until the last clone outside of layers is dropped.
    pub fn start(&self) {
        if self.inner.exporter.is_none() {
            return;
        }
        let alive = Arc::downgrade(&self.inner);
        let environment = self.inner.environment.clone();
        let interval = Duration::from_secs(self.inner.settings.export_seconds.max(1));
        let sleeper = environment.clone();
        environment.spawn(async move {
            loop {
                sleeper.sleep(interval).await;
                let Some(inner) = alive.upgrade() else { return };
                let telemetry = Self { inner };
                if let Err(error) = telemetry.flush().await {
                    tracing::warn!(error = %error, "telemetry was not sent");
                }
            }
        });
    }

    /// Sends what waits a last time.
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

    pub(super) fn push(&self, span: Ended) {
        let mut outbox = self.lock();
        if outbox.len() >= SPANS_MAX {
            outbox.pop_front();
        }
        outbox.push_back(span);
    }

    fn take(&self) -> Vec<Ended> {
        let mut outbox = self.lock();
        let count = outbox.len().min(REQUEST_SPANS_MAX);
        outbox.drain(..count).collect()
    }

    fn put_back(&self, spans: Vec<Ended>) {
        let mut outbox = self.lock();
        for span in spans.into_iter().rev() {
            if outbox.len() < SPANS_MAX {
                outbox.push_front(span);
            }
        }
    }

    async fn post(&self, path: &str, body: &Json) -> Result<(), ExportError> {
        let request = self.http.post(format!("{}/{path}", self.endpoint)).json(body);
        let answer = request.send().await.map_err(|error| ExportError::Away(error.to_string()))?;
        match answer.status().as_u16() {
            200..=299 => Ok(()),
            status @ (429 | 502 | 503 | 504) => Err(ExportError::Away(format!("status {status}"))),
            status => Err(ExportError::Refused(status)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Ended>> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Away(why) => write!(formatter, "the collector cannot be reached: {why}"),
            Self::Refused(status) => {
                write!(formatter, "the collector refused the telemetry with status {status}")
            }
        }
    }
}

impl std::error::Error for ExportError {}
