//! The trace of a caller continues in the span of its request.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use engine::Engine;
use gateway::{Gateway, GatewaySettings};
use http_body_util::Full;
use hyper::Request;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Subscriber, subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

type SpanFields = Vec<(String, String)>;

/// The fields of each span that was created.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<SpanFields>>>);

struct Fields<'a>(&'a mut Vec<(String, String)>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.push((field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned()));
    }
}

impl<S: Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut fields = Vec::new();
        attributes.record(&mut Fields(&mut fields));
        if attributes.metadata().name() == "request" {
            self.0.lock().unwrap().push(fields);
        }
    }
}

/// Sends a request with these headers; returns the fields of its span, if there is one.
async fn span_of(headers: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
    let spans = Spans::default();
    let _guard = subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let gateway = Gateway::new(Engine::in_memory().await.unwrap(), GatewaySettings::default());
    let request = headers
        .iter()
        .fold(Request::get("/alive"), |request, (name, value)| request.header(*name, *value));
    let response = gateway.respond(request.body(Full::new(Bytes::new())).unwrap()).await;
    assert_eq!(response.status(), 200);
    assert!(!response.headers().contains_key("traceparent"));
    let mut spans = spans.0.lock().unwrap();
    assert!(spans.len() <= 1);
    spans.pop()
}

const TRACE_PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[tokio::test]
async fn a_trace_continues_with_a_new_span() {
    let fields = span_of(&[("traceparent", TRACE_PARENT)]).await.unwrap();
    let field = |name: &str| {
        let found = fields.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.clone()).unwrap()
    };
    assert_eq!(field("trace_id"), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(field("span_id").len(), 16);
    assert_ne!(field("span_id"), "00f067aa0ba902b7");
    assert_eq!(field("activity_id").len(), 36);
}

#[tokio::test]
async fn a_request_without_a_valid_trace_has_no_span() {
    assert_eq!(span_of(&[]).await, None);
    assert_eq!(span_of(&[("traceparent", "00-4bf9")]).await, None);
    let twice = [("traceparent", TRACE_PARENT), ("traceparent", TRACE_PARENT)];
    assert_eq!(span_of(&twice).await, None);
}
