//! Spans of data calls, their totals, and the export to a collector.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::http::{StatusCode, Uri};
use client::{Container, Environment, Fault, Faults, Query, Randomness, Spawner, TravellingClock};
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

struct TelemetryFixture {
    telemetry: Telemetry,
    collector: Collector,
    orders: Container,
    faults: Faults,
    _guard: DefaultGuard,
}

async fn fixture(settings: TelemetrySettings) -> TelemetryFixture {
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
    TelemetryFixture { telemetry, collector, orders, faults, _guard: guard }
}

impl TelemetryFixture {
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
    let fixture = fixture(TelemetrySettings::default()).await;
    fixture.create(1).await;
    let charge = fixture.orders.read::<Value>(&"ann".into(), "0").await.unwrap().charge;
    fixture.telemetry.flush().await.unwrap();
    let body = &fixture.collector.bodies("/v1/traces")[0];
    let resource = attributes(&body["resourceSpans"][0]["resource"]);
    assert_eq!(resource["service.name"], json!({"stringValue": "shop"}));
    let span = fixture.collector.span("read orders");
    let report = attributes(&span);
    assert_eq!(report["azure.cosmosdb.operation.request_charge"], json!({"doubleValue": charge}));
    assert!(charge > 0.0);
    assert_eq!(report["db.operation.name"], json!({"stringValue": "read"}));
    assert_eq!(report["db.namespace"], json!({"stringValue": "shop"}));
    assert_eq!(report["db.collection.name"], json!({"stringValue": "orders"}));
    assert_eq!(report["db.response.returned_rows"], json!({"intValue": "1"}));
    assert_eq!(report["status"], json!({"stringValue": "ok"}));
    assert_eq!((&span["kind"], &span["status"]["code"]), (&json!(3), &json!(0)));
    assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
    assert_eq!(span["startTimeUnixNano"], "1800000000000000000");
    // What was sent is not sent again.
    fixture.telemetry.flush().await.unwrap();
    assert_eq!(fixture.collector.spans().len(), 2);
}

#[tokio::test]
async fn a_query_is_one_span_with_all_its_pages() {
    let fixture = fixture(TelemetrySettings::default()).await;
    fixture.create(1001).await;
    let all = Query::text("SELECT * FROM c").within("ann".into());
    let answer = fixture.orders.query::<Value>(&all).await.unwrap();
    fixture.telemetry.flush().await.unwrap();
    let report = attributes(&fixture.collector.span("query orders"));
    assert_eq!(report["db.response.returned_rows"], json!({"intValue": "1001"}));
    let pages: u64 = report["pages"]["intValue"].as_str().unwrap().parse().unwrap();
    assert_eq!(pages as usize, fixture.faults.requests("query"));
    assert!(pages >= 2, "{pages}");
    let charge = report["azure.cosmosdb.operation.request_charge"]["doubleValue"].as_f64().unwrap();
    assert!((charge - answer.charge).abs() < 1e-9);
}

#[tokio::test]
async fn retries_and_errors_are_recorded() {
    let fixture = fixture(TelemetrySettings::default()).await;
    fixture.create(1).await;
    fixture.faults.next(Fault::Unavailable);
    fixture.faults.next(Fault::LostResponse);
    fixture.orders.read::<Value>(&"ann".into(), "0").await.unwrap();
    (0..6).for_each(|_| fixture.faults.next(Fault::Unavailable));
    fixture.orders.read::<Value>(&"ann".into(), "0").await.unwrap_err();
    fixture.orders.read::<Value>(&"ann".into(), "none").await.unwrap_err();
    fixture.faults.next(Fault::StopBefore);
    let ann = "ann".into();
    let stopped = fixture.orders.read::<Value>(&ann, "0");
    assert!(fixture.faults.until_stopped(stopped).await.is_none());

    fixture.has(&format!("data_calls_total{READ}\"ok\"}} 1"));
    fixture.has(&format!("data_call_retries_total{READ}\"ok\"}} 2"));
    fixture.has(&format!("data_call_retries_total{READ}\"unavailable\"}} 5"));
    fixture.has(&format!("data_calls_total{READ}\"not found\"}} 1"));
    fixture.has(&format!("data_calls_total{READ}\"abandoned\"}} 1"));
    fixture.telemetry.flush().await.unwrap();
    let failed: Vec<Value> =
        fixture.collector.spans().into_iter().filter(|span| span["status"]["code"] == 2).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(attributes(&failed[0])["retries"], json!({"intValue": "5"}));
    assert_eq!(failed[0]["status"]["message"], "unavailable");
}

#[tokio::test]
async fn spans_of_the_program_are_parents_of_its_calls() {
    let fixture = fixture(TelemetrySettings::default()).await;
    let span = tracing::info_span!("request", route = "/orders", user = "ann");
    fixture.create(1).instrument(span).await;
    tracing::debug_span!("detail").in_scope(|| ());
    fixture.telemetry.flush().await.unwrap();
    let (request, call) =
        (fixture.collector.span("request"), fixture.collector.span("create orders"));
    assert_eq!(call["parentSpanId"], request["spanId"]);
    assert_eq!(call["traceId"], request["traceId"]);
    assert_ne!(call["spanId"], request["spanId"]);
    assert_eq!(request["kind"], 1);
    assert_eq!(request.get("parentSpanId"), None);
    assert_eq!(attributes(&request)["user"], json!({"stringValue": "ann"}));
    assert!(fixture.collector.spans().iter().all(|span| span["name"] != "detail"));
}

#[tokio::test]
async fn a_request_continues_the_trace_of_its_caller() {
    let fixture = fixture(TelemetrySettings::default()).await;
    let caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let span = tracing::info_span!("request", traceparent = caller);
    fixture.create(1).instrument(span).await;
    fixture.telemetry.flush().await.unwrap();
    let (request, call) =
        (fixture.collector.span("request"), fixture.collector.span("create orders"));
    assert_eq!(request["traceId"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(request["parentSpanId"], "b7ad6b7169203331");
    assert_eq!(call["traceId"], request["traceId"]);
    assert_eq!(call["parentSpanId"], request["spanId"]);
    assert!(!attributes(&request).contains_key("traceparent"));
}

async fn called_for_a_tenant(settings: TelemetrySettings) -> TelemetryFixture {
    let fixture = fixture(settings).await;
    let span = tracing::info_span!("request", tenant = "acme", user_id = "ann-7");
    fixture.create(1).instrument(span).await;
    fixture.telemetry.flush().await.unwrap();
    fixture
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
    let fixture = fixture(TelemetrySettings::default()).await;
    fixture.create(3).await;
    fixture.telemetry.flush().await.unwrap();
    let body = &fixture.collector.bodies("/v1/metrics")[0];
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
async fn spans_are_kept_while_the_collector_is_busy_and_dropped_when_it_rejects_them() {
    let fixture = fixture(TelemetrySettings::default()).await;
    fixture.create(2).await;
    fixture.collector.plan.lock().unwrap().push(StatusCode::SERVICE_UNAVAILABLE);
    let error = fixture.telemetry.flush().await.unwrap_err();
    assert_eq!(error, ExportError::Unavailable("status 503".to_owned()));
    fixture.telemetry.flush().await.unwrap();
    assert_eq!(fixture.collector.spans().len(), 2);
    fixture.orders.read::<Value>(&"ann".into(), "0").await.unwrap();
    fixture.collector.plan.lock().unwrap().push(StatusCode::BAD_REQUEST);
    assert_eq!(fixture.telemetry.flush().await.unwrap_err(), ExportError::Rejected(400));
    fixture.telemetry.flush().await.unwrap();
    assert_eq!(fixture.collector.spans().len(), 2);
}

/// Counts the tasks that have ended; a sleep takes no time.
#[derive(Default)]
struct CountingSpawner {
    ended: Arc<AtomicUsize>,
    slept: Arc<AtomicUsize>,
}

impl Spawner for CountingSpawner {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let ended = Arc::clone(&self.ended);
        tokio::spawn(async move {
            task.await;
            ended.fetch_add(1, Ordering::SeqCst);
        });
    }

    fn sleep(&self, _duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.slept.fetch_add(1, Ordering::SeqCst);
        Box::pin(tokio::task::yield_now())
    }
}

struct Same;

impl Randomness for Same {
    fn next(&self) -> u64 {
        0
    }
}

#[tokio::test]
async fn the_export_ends_with_the_program_although_the_subscriber_stays() {
    let spawner = CountingSpawner::default();
    let (ended, slept) = (Arc::clone(&spawner.ended), Arc::clone(&spawner.slept));
    let clock = TravellingClock::starting_at(model::TimestampMs(0));
    let randomness = Arc::new(Same);
    let environment = Environment::new(clock, randomness, Arc::new(spawner));
    // Nothing is recorded, so that nothing is sent to it.
    let otlp_endpoint = "http://127.0.0.1:9/".to_owned();
    let settings = TelemetrySettings { otlp_endpoint, ..TelemetrySettings::default() };
    let telemetry = Telemetry::new(settings, &environment);
    let _subscriber = tracing_subscriber::registry().with(telemetry.layer());
    telemetry.start();
    let second = telemetry.clone();
    drop(telemetry);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(slept.load(Ordering::SeqCst) > 1 && ended.load(Ordering::SeqCst) == 0);
    drop(second);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(ended.load(Ordering::SeqCst), 1);
}
