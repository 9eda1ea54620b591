//! Telemetry as a value, and the `tracing` layer that records spans.
//!
//! Owns which spans are recorded, their ids, and which fields become labels. Spans of data calls are recorded at every
//! level, other spans from `INFO` on.

use std::fmt;
use std::sync::Arc;

use client::Environment;
use model::TraceContext;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::export::Exporter;
use super::settings::TelemetrySettings;
use super::span::{CALL_TARGET, FieldValue, FinishedSpan, OpenSpan, SpanFields};
use super::totals::{CallTotals, CallTotalsCollector, MetricLabels};

/// The span field with the trace context of the caller, as the HTTP middleware records it.
const TRACEPARENT: &str = TraceContext::HEADER;

/// The telemetry of a program. Clones share it.
#[derive(Clone)]
pub struct Telemetry {
    pub(super) inner: Arc<TelemetryInner>,
    /// Held by the program and by no layer: a subscriber lives as long as the process, so that `inner` does, too.
    pub(super) handle: Option<Arc<TelemetryHandle>>,
}

/// Exists while the program holds its telemetry.
pub(super) struct TelemetryHandle;

pub(super) struct TelemetryInner {
    pub(super) settings: TelemetrySettings,
    pub(super) environment: Environment,
    pub(super) totals: Arc<CallTotals>,
    pub(super) exporter: Option<Exporter>,
    pub(super) started_ms: u64,
}

/// Records spans when they open, change and close.
struct SpanLayer {
    telemetry: Telemetry,
}

impl Telemetry {
    /// Creates telemetry with these settings, on this clock.
    #[must_use]
    pub fn new(settings: TelemetrySettings, environment: &Environment) -> Self {
        let environment = environment.clone();
        let endpoint = settings.otlp_endpoint.trim_end_matches('/');
        let exporter = (!endpoint.is_empty()).then(|| Exporter::new(endpoint));
        let (totals, started_ms) = (Arc::default(), environment.now().0);
        let inner = TelemetryInner { settings, environment, totals, exporter, started_ms };
        Self { inner: Arc::new(inner), handle: Some(Arc::new(TelemetryHandle)) }
    }

    /// The layer for the program's subscriber, which must contain a registry.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        // The hint lets `tracing` skip more detailed callsites without asking; spans of data calls are at `DEBUG`.
        let recorded = filter_fn(is_recorded).with_max_level_hint(Level::DEBUG);
        let telemetry = Self { inner: Arc::clone(&self.inner), handle: None };
        SpanLayer { telemetry }.with_filter(recorded)
    }

    /// The totals of data calls, for [`crate::http::ServiceMetrics::add_collector`].
    #[must_use]
    pub fn collector(&self) -> impl Collector + use<> {
        CallTotalsCollector(Arc::clone(&self.inner.totals))
    }

    /// Renders the totals of data calls in the OpenMetrics text format.
    #[must_use]
    pub fn render(&self) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.collector()));
        let mut rendered = String::new();
        // Writing to a string cannot fail.
        let _ = text::encode(&mut rendered, &registry);
        rendered
    }

    fn open_span(&self, attributes: &Attributes<'_>, parent: Option<&OpenSpan>) -> OpenSpan {
        let environment = &self.inner.environment;
        let random = || u128::from(environment.random());
        let mut fields = SpanFields::default();
        attributes.record(&mut fields);
        let caller = fields.0.remove(TRACEPARENT).and_then(|value| remote_parent(&value.label()));
        // A span inside this process wins over the header: the header describes the caller of the outermost span.
        let parent = parent.map(|parent| (parent.trace_id, parent.span_id)).or(caller);
        OpenSpan {
            trace_id: parent.map_or_else(|| (random() << 64) | random(), |(trace_id, _)| trace_id),
            span_id: environment.random(),
            parent_id: parent.map(|(_, span_id)| span_id),
            started_ms: environment.now().0,
            stopwatch: environment.stopwatch(),
            fields,
        }
    }

    /// The fields that the settings allow as labels, of a span and its ancestors. The innermost value wins.
    fn labels<'a, S: LookupSpan<'a>>(&self, span: &SpanRef<'a, S>) -> MetricLabels {
        let mut labels = MetricLabels::new();
        for name in &self.inner.settings.metric_labels {
            let value = span.scope().find_map(|ancestor| {
                let extensions = ancestor.extensions();
                let fields = &extensions.get::<OpenSpan>()?.fields;
                fields.0.get(name.as_str()).map(FieldValue::label)
            });
            labels.extend(value.map(|value| (name.clone(), value)));
        }
        labels
    }
}

/// The ids of trace and span in a `traceparent` header.
fn remote_parent(header: &str) -> Option<(u128, u64)> {
    let context = TraceContext::parse(header)?;
    let trace_id = u128::from_str_radix(&context.trace_id(), 16).ok()?;
    Some((trace_id, u64::from_str_radix(&context.span_id(), 16).ok()?))
}

fn is_recorded(metadata: &Metadata<'_>) -> bool {
    let is_call = metadata.target() == CALL_TARGET;
    metadata.is_span() && (is_call || *metadata.level() <= Level::INFO)
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let parent =
            // Cloned: the extensions of the parent are behind a lock, which is released before the new span is built.
            span.parent().and_then(|parent| parent.extensions().get::<OpenSpan>().cloned());
        let open = self.telemetry.open_span(attributes, parent.as_ref());
        span.extensions_mut().replace(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            values.record(&mut open.fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let inner = &self.telemetry.inner;
        let is_call = span.metadata().target() == CALL_TARGET;
        // Labels first: they look up the fields of this span too, which are removed below.
        let labels = if is_call { self.telemetry.labels(&span) } else { MetricLabels::new() };
        let Some(open) = span.extensions_mut().remove::<OpenSpan>() else { return };
        if is_call {
            inner.totals.count(&open.fields, labels);
        }
        if let Some(exporter) = &inner.exporter {
            let elapsed = inner.environment.stopwatch().saturating_sub(open.stopwatch);
            exporter.push(FinishedSpan { span: open, name: span.name(), is_call, elapsed });
        }
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Telemetry").field("settings", &self.inner.settings).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::remote_parent;

    #[test]
    fn the_ids_of_a_caller_are_parsed_and_anything_else_is_ignored() {
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let ids = (0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c, 0xb7ad_6b71_6920_3331);
        assert_eq!(remote_parent(header), Some(ids));
        assert_eq!(remote_parent("00-0-0-01"), None);
    }
}
