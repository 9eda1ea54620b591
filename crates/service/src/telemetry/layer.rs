//! Telemetry as a value, and the layer that hears spans begin and end.
//!
//! Owns which spans are heard, how they get their ids, and which fields become labels. A data call is heard at every
//! level; other spans from the level of information on.

use std::fmt;
use std::sync::Arc;

use client::Environment;
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::export::Exporter;
use super::settings::TelemetrySettings;
use super::span::{CALL_TARGET, Ended, Fields, Running};
use super::totals::{Labels, Totals};

/// The telemetry of a program. Cloning shares it.
#[derive(Clone)]
pub struct Telemetry {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) settings: TelemetrySettings,
    pub(super) environment: Environment,
    pub(super) totals: Totals,
    pub(super) exporter: Option<Exporter>,
    pub(super) began_ms: u64,
}

/// Hears spans.
struct SpanLayer {
    telemetry: Telemetry,
}

impl Telemetry {
    /// Telemetry with these settings, on this clock.
    #[must_use]
    pub fn new(settings: TelemetrySettings, environment: &Environment) -> Self {
        let environment = environment.clone();
        let endpoint = settings.otlp_endpoint.trim_end_matches('/');
        let exporter = (!endpoint.is_empty()).then(|| Exporter::new(endpoint));
        let (totals, began_ms) = (Totals::default(), environment.now().0);
        let inner = Inner { settings, environment, totals, exporter, began_ms };
        Self { inner: Arc::new(inner) }
    }

    /// The layer to put into the program's subscriber, a registry below it.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let heard = filter_fn(is_heard).with_max_level_hint(Level::DEBUG);
        SpanLayer { telemetry: self.clone() }.with_filter(heard)
    }

    /// The totals of data calls, in the text form of Prometheus.
    #[must_use]
    pub fn render(&self) -> String {
        self.inner.totals.render()
    }

    fn running(&self, attributes: &Attributes<'_>, parent: Option<&Running>) -> Running {
        let environment = &self.inner.environment;
        let random = || u128::from(environment.random());
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        Running {
            trace: parent.map_or_else(|| (random() << 64) | random(), |parent| parent.trace),
            span: environment.random(),
            parent: parent.map(|parent| parent.span),
            began_ms: environment.now().0,
            stopwatch: environment.stopwatch(),
            fields,
        }
    }

    /// Fields of a span and those around it that the settings allow as labels; the innermost counts.
    fn labels<'a, S: LookupSpan<'a>>(&self, span: &SpanRef<'a, S>) -> Labels {
        let mut labels = Labels::new();
        for name in &self.inner.settings.metric_labels {
            let value = span.scope().find_map(|around| {
                let extensions = around.extensions();
                let fields = &extensions.get::<Running>()?.fields;
                fields.0.get(name.as_str()).map(super::span::Value::label)
            });
            labels.extend(value.map(|value| (name.clone(), value)));
        }
        labels
    }
}

fn is_heard(metadata: &Metadata<'_>) -> bool {
    let is_call = metadata.target() == CALL_TARGET;
    metadata.is_span() && (is_call || *metadata.level() <= Level::INFO)
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let parent = span.parent().and_then(|parent| parent.extensions().get::<Running>().cloned());
        let running = self.telemetry.running(attributes, parent.as_ref());
        span.extensions_mut().replace(running);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(running) = span.extensions_mut().get_mut::<Running>() {
            values.record(&mut running.fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let inner = &self.telemetry.inner;
        let is_call = span.metadata().target() == CALL_TARGET;
        let labels = if is_call { self.telemetry.labels(&span) } else { Labels::new() };
        let Some(running) = span.extensions_mut().remove::<Running>() else { return };
        if is_call {
            inner.totals.count(&running.fields, labels);
        }
        if let Some(exporter) = &inner.exporter {
            let took = inner.environment.stopwatch().saturating_sub(running.stopwatch);
            exporter.push(Ended { running, name: span.name(), is_call, took });
        }
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Telemetry").field("settings", &self.inner.settings).finish()
    }
}
