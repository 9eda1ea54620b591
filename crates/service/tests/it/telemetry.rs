//! Spans of data calls, their totals, and what a collector gets of them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

use axum::Json;
use axum::Router;
use axum::http::{StatusCode, Uri};
use client::{Container, Fault, Faults, Query};
use serde_json::{Value, json};
use service::telemetry::{ExportError, Telemetry, TelemetrySettings};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Instrument as _};
use tracing_subscriber::layer::SubscriberExt as _;

use crate::world::{World, on};

/// A collector that keeps what arrives and answers as planned, or well.
#[derive(Clone, Default)]
struct Collector {
    arrived: Arc<Mutex<Vec<(String, Value)>>>,
    plan: Arc<Mutex<Vec<StatusCode>>>,
}

impl Collector {
    /// Listens on a port of its own; gives its address.
    async fn listen(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let this = self.clone();
        let router = Router::new().fallback(move |uri: Uri, Json(body): Json<Value>| async move {
            let planned = this.plan.lock().unwrap().pop();
            if planned.is_none() {
                this.arrived.lock().unwrap().push((uri.path().to_owned(), body));
            }
            planned.unwrap_or(StatusCode::OK)
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/")
    }

    fn bodies(&self, path: &str) -> Vec<Value> {
        let arrived = self.arrived.lock().unwrap();
        arrived.iter().filter(|(at, _)| at == path).map(|(_, body)| body.clone()).collect()
    }

    fn spans(&self) -> Vec<Value> {
        let bodies = self.bodies("/v1/traces");
        let spans = bodies.iter().flat_map(|body| {
            body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
        });
        spans.collect()
    }

    fn span(&self, name: &str) -> Value {
        let found: Vec<Value> =
            self.spans().into_iter().filter(|span| span["name"] == name).collect();
        assert_eq!(found.len(), 1, "{name} in {:?}", self.spans());
        found[0].clone()
    }
}

/// Attributes of a span or a point, by key.
fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let attributes = of["attributes"].as_array().unwrap().iter();
    attributes.map(|one| (one["key"].as_str().unwrap().to_owned(), one["value"].clone())).collect()
}

struct Heard {
    telemetry: Telemetry,
    collector: Collector,
    orders: Container,
    faults: Faults,
    _guard: DefaultGuard,
}

async fn heard(settings: TelemetrySettings) -> Heard {
    let world = World::new(1).await;
    world.container("orders", "/customer").await;
    let collector = Collector::default();
    let otlp_endpoint = collector.listen().await;
    let settings = TelemetrySettings { otlp_endpoint, service_name: "shop".to_owned(), ..settings };
    let telemetry = Telemetry::new(settings, world.account.environment());
    let subscriber = tracing_subscriber::registry().with(telemetry.layer());
    // With a single listener, a place in the code is judged by the thread that comes by first, and the tests beside
    // these have none; with two, all listeners are asked.
    static SECOND: LazyLock<Dispatch> =
        LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));
    LazyLock::force(&SECOND);
    let guard = tracing::subscriber::set_default(subscriber);
    let faults = Faults::new();
    let orders = on(&world.suffering(&faults), "orders");
    Heard { telemetry, collector, orders, faults, _guard: guard }
}

impl Heard {
    async fn create(&self, count: usize) {
        for number in 0..count {
            let item = json!({"id": number.to_string(), "customer": "ann"});
            self.orders.create(&"ann".into(), &item).await.unwrap();
        }
    }

    fn has(&self, line: &str) {
        let text = self.telemetry.render();
        assert!(text.lines().any(|other| other == line), "{line} in\n{text}");
    }
}

const READ: &str = r#"{container="orders",database="shop",operation="read",status="#;

#[tokio::test]
async fn a_collector_gets_one_span_per_call_with_its_charge() {
    let heard = heard(TelemetrySettings::default()).await;
    heard.create(1).await;
    let charge = heard.orders.read::<Value>(&"ann".into(), "0").await.unwrap().charge;
    heard.telemetry.flush().await.unwrap();
    let body = &heard.collector.bodies("/v1/traces")[0];
    let resource = attributes(&body["resourceSpans"][0]["resource"]);
    assert_eq!(resource["service.name"], json!({"stringValue": "shop"}));
    let span = heard.collector.span("read orders");
    let told = attributes(&span);
    assert_eq!(told["azure.cosmosdb.operation.request_charge"], json!({"doubleValue": charge}));
    assert!(charge > 0.0);
    assert_eq!(told["db.operation.name"], json!({"stringValue": "read"}));
    assert_eq!(told["db.namespace"], json!({"stringValue": "shop"}));
    assert_eq!(told["db.collection.name"], json!({"stringValue": "orders"}));
    assert_eq!(told["db.response.returned_rows"], json!({"intValue": "1"}));
    assert_eq!(told["status"], json!({"stringValue": "ok"}));
    assert_eq!((&span["kind"], &span["status"]["code"]), (&json!(3), &json!(0)));
    assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
    assert_eq!(span["startTimeUnixNano"], "1800000000000000000");
    // What was sent is not sent again.
    heard.telemetry.flush().await.unwrap();
    assert_eq!(heard.collector.spans().len(), 2);
}

#[tokio::test]
async fn a_query_is_one_span_with_all_its_pages() {
    let heard = heard(TelemetrySettings::default()).await;
    heard.create(1001).await;
    let all = Query::text("SELECT * FROM c").within("ann".into());
    let answer = heard.orders.query::<Value>(&all).await.unwrap();
    heard.telemetry.flush().await.unwrap();
    let told = attributes(&heard.collector.span("query orders"));
    assert_eq!(told["db.response.returned_rows"], json!({"intValue": "1001"}));
    let pages: u64 = told["pages"]["intValue"].as_str().unwrap().parse().unwrap();
    assert_eq!(pages as usize, heard.faults.requests("query"));
    assert!(pages >= 2, "{pages}");
    let charge = told["azure.cosmosdb.operation.request_charge"]["doubleValue"].as_f64().unwrap();
    assert!((charge - answer.charge).abs() < 1e-9);
}

#[tokio::test]
async fn retries_and_errors_are_told() {
    let heard = heard(TelemetrySettings::default()).await;
    heard.create(1).await;
    heard.faults.next(Fault::Unavailable);
    heard.faults.next(Fault::LostResponse);
    heard.orders.read::<Value>(&"ann".into(), "0").await.unwrap();
    (0..6).for_each(|_| heard.faults.next(Fault::Unavailable));
    heard.orders.read::<Value>(&"ann".into(), "0").await.unwrap_err();
    heard.orders.read::<Value>(&"ann".into(), "none").await.unwrap_err();
    heard.faults.next(Fault::StopBefore);
    let ann = "ann".into();
    let stopped = heard.orders.read::<Value>(&ann, "0");
    assert!(heard.faults.until_stopped(stopped).await.is_none());

    heard.has(&format!("data_calls_total{READ}\"ok\"}} 1"));
    heard.has(&format!("data_call_retries_total{READ}\"ok\"}} 2"));
    heard.has(&format!("data_call_retries_total{READ}\"unavailable\"}} 5"));
    heard.has(&format!("data_calls_total{READ}\"not found\"}} 1"));
    heard.has(&format!("data_calls_total{READ}\"abandoned\"}} 1"));
    heard.telemetry.flush().await.unwrap();
    let failed: Vec<Value> =
        heard.collector.spans().into_iter().filter(|span| span["status"]["code"] == 2).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(attributes(&failed[0])["retries"], json!({"intValue": "5"}));
    assert_eq!(failed[0]["status"]["message"], "unavailable");
}

#[tokio::test]
async fn spans_of_the_program_are_parents_of_its_calls() {
    let heard = heard(TelemetrySettings::default()).await;
    let span = tracing::info_span!("request", route = "/orders", user = "ann");
    heard.create(1).instrument(span).await;
    tracing::debug_span!("detail").in_scope(|| ());
    heard.telemetry.flush().await.unwrap();
    let (request, call) = (heard.collector.span("request"), heard.collector.span("create orders"));
    assert_eq!(call["parentSpanId"], request["spanId"]);
    assert_eq!(call["traceId"], request["traceId"]);
    assert_ne!(call["spanId"], request["spanId"]);
    assert_eq!(request["kind"], 1);
    assert_eq!(request.get("parentSpanId"), None);
    assert_eq!(attributes(&request)["user"], json!({"stringValue": "ann"}));
    assert!(heard.collector.spans().iter().all(|span| span["name"] != "detail"));
}

async fn called_for_a_tenant(settings: TelemetrySettings) -> Heard {
    let heard = heard(settings).await;
    let span = tracing::info_span!("request", tenant = "acme", user_id = "ann-7");
    heard.create(1).instrument(span).await;
    heard.telemetry.flush().await.unwrap();
    heard
}

#[tokio::test]
async fn no_id_of_a_tenant_or_user_becomes_a_label_unless_the_settings_allow_it() {
    let strict = called_for_a_tenant(TelemetrySettings::default()).await;
    let metrics = serde_json::to_string(&strict.collector.bodies("/v1/metrics")).unwrap();
    assert!(metrics.contains("data_calls_total"), "{metrics}");
    for text in [&metrics, &strict.telemetry.render()] {
        assert!(!text.contains("acme") && !text.contains("ann-7"), "{text}");
        assert!(!text.contains("tenant"), "{text}");
    }
    // Traces have it: there it costs nothing.
    let request = attributes(&strict.collector.span("request"));
    assert_eq!(request["tenant"], json!({"stringValue": "acme"}));
    drop(strict);

    let metric_labels = vec!["tenant".to_owned()];
    let allowed = TelemetrySettings { metric_labels, ..TelemetrySettings::default() };
    let allowed = called_for_a_tenant(allowed).await;
    allowed.has(
        r#"data_calls_total{container="orders",database="shop",operation="create",status="ok",tenant="acme"} 1"#,
    );
    assert!(!allowed.telemetry.render().contains("ann-7"));
}

#[tokio::test]
async fn totals_reach_the_collector_as_sums() {
    let heard = heard(TelemetrySettings::default()).await;
    heard.create(3).await;
    heard.telemetry.flush().await.unwrap();
    let body = &heard.collector.bodies("/v1/metrics")[0];
    let metrics = body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let calls = metrics.iter().find(|metric| metric["name"] == "data_calls_total").unwrap();
    let point = &calls["sum"]["dataPoints"][0];
    assert_eq!(point["asDouble"], json!(3.0));
    assert_eq!(attributes(point)["operation"], json!({"stringValue": "create"}));
    assert_eq!(
        (&calls["sum"]["isMonotonic"], &calls["sum"]["aggregationTemporality"]),
        (&json!(true), &json!(2))
    );
}

#[tokio::test]
async fn what_a_busy_collector_did_not_take_is_sent_again_and_what_it_refused_is_not() {
    let heard = heard(TelemetrySettings::default()).await;
    heard.create(2).await;
    heard.collector.plan.lock().unwrap().push(StatusCode::SERVICE_UNAVAILABLE);
    let error = heard.telemetry.flush().await.unwrap_err();
    assert_eq!(error, ExportError::Away("status 503".to_owned()));
    heard.telemetry.flush().await.unwrap();
    assert_eq!(heard.collector.spans().len(), 2);
    heard.orders.read::<Value>(&"ann".into(), "0").await.unwrap();
    heard.collector.plan.lock().unwrap().push(StatusCode::BAD_REQUEST);
    assert_eq!(heard.telemetry.flush().await.unwrap_err(), ExportError::Refused(400));
    heard.telemetry.flush().await.unwrap();
    assert_eq!(heard.collector.spans().len(), 2);
}
