//! The calls to the account behind an operation, with what each cost: read off the spans of `client`.
//!
//! Owns collecting them. An operation that is measured runs alone, so whatever was called meanwhile is its own.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

/// The target of the spans of calls.
const TARGET: &str = "client::call";

/// One call to the account.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Call {
    pub(super) operation: String,
    pub(super) container: String,
    pub(super) charge: f64,
}

/// Collects calls. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Arc<Mutex<Vec<Call>>>);

impl Calls {
    /// Begins to collect in this whole process.
    pub(super) fn begin() -> Self {
        let calls = Self::default();
        let subscriber = tracing_subscriber::registry().with(Spans(calls.clone()));
        // Nobody else sets one in a command that measures.
        let _ = tracing::subscriber::set_global_default(subscriber);
        calls
    }

    /// The calls since the last time.
    pub(super) fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The parts of a sum: calls of a kind together, in the order of their first.
pub(super) fn terms(calls: &[Call]) -> String {
    let mut kinds: Vec<(String, usize, f64)> = Vec::new();
    for call in calls.iter().filter(|call| call.charge > 0.0) {
        let kind = format!("{} {}", call.operation, call.container);
        match kinds.iter_mut().find(|(known, _, _)| *known == kind) {
            Some((_, count, sum)) => {
                *count += 1;
                *sum += call.charge;
            }
            None => kinds.push((kind, 1, call.charge)),
        }
    }
    let term = |(kind, count, sum): &(String, usize, f64)| match count {
        1 => format!("{kind} {sum:.2}"),
        _ => format!("{count} x {kind} {sum:.2}"),
    };
    kinds.iter().map(term).collect::<Vec<_>>().join(" + ")
}

/// What calls cost together.
pub(super) fn sum(calls: &[Call]) -> f64 {
    calls.iter().map(|call| call.charge).sum()
}

/// What calls cost, by container.
pub(super) fn by_container(calls: &[Call]) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for call in calls {
        *sums.entry(call.container.clone()).or_default() += call.charge;
    }
    sums
}

struct Spans(Calls);

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for Spans {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target() == TARGET
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut call = Call::default();
        attributes.record(&mut call);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(call);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(call) = span.extensions_mut().get_mut::<Call>()
        {
            values.record(call);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let call = context.span(&id).and_then(|span| span.extensions_mut().remove::<Call>());
        if let Some(call) = call {
            self.0.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        }
    }
}

impl Visit for Call {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "request_units" {
            self.charge = value;
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "operation" => value.clone_into(&mut self.operation),
            "container" => value.clone_into(&mut self.container),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_kind_are_one_term() {
        let call = |operation: &str, charge| Call {
            operation: operation.to_owned(),
            container: "notifications".to_owned(),
            charge,
        };
        let calls = [call("query", 2.5), call("create", 6.0), call("query", 2.5)];
        assert_eq!(terms(&calls), "2 x query notifications 5.00 + create notifications 6.00");
        assert!((sum(&calls) - 11.0).abs() < 1e-9);
        assert_eq!(by_container(&calls).len(), 1);
    }
}
