//! Records the calls to the account and their charges, from the tracing spans of `client`.
//!
//! A measured operation runs alone, so all calls in between belong to it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

/// The target of the spans.
const TARGET: &str = "client::call";

/// One call to the account.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AccountCall {
    pub(crate) operation: String,
    pub(crate) container: String,
    pub(crate) charge: f64,
}

/// Collects calls. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<Mutex<Vec<AccountCall>>>);

impl Calls {
    /// Starts to collect the calls of this process.
    pub(crate) fn start() -> Self {
        let calls = Self::default();
        let subscriber = tracing_subscriber::registry().with(ChargeLayer(calls.clone()));
        // Nothing else in this command installs a subscriber.
        let _ = tracing::subscriber::set_global_default(subscriber);
        calls
    }

    /// Takes the calls collected since the last time.
    pub(crate) fn take(&self) -> Vec<AccountCall> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The charges as a sum: calls of the same kind together, in the order of their first occurrence.
pub(crate) fn terms(calls: &[AccountCall]) -> String {
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

/// The total charge.
pub(crate) fn sum(calls: &[AccountCall]) -> f64 {
    calls.iter().map(|call| call.charge).sum()
}

/// The charge by container.
#[cfg_attr(not(feature = "notifications"), allow(dead_code, reason = "only their plan needs it"))]
pub(crate) fn by_container(calls: &[AccountCall]) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for call in calls {
        *sums.entry(call.container.clone()).or_default() += call.charge;
    }
    sums
}

struct ChargeLayer(Calls);

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for ChargeLayer {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target() == TARGET
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut call = AccountCall::default();
        attributes.record(&mut call);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(call);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(call) = span.extensions_mut().get_mut::<AccountCall>()
        {
            values.record(call);
        }
    }

    // The charge is recorded when the call ends, so only a closed span has it.
    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let call = context.span(&id).and_then(|span| span.extensions_mut().remove::<AccountCall>());
        if let Some(call) = call {
            self.0.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        }
    }
}

impl Visit for AccountCall {
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
        let call = |operation: &str, charge| AccountCall {
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
