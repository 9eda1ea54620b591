//! What is logged: retries, and queries over all partitions with their reason.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use client::{Fault, Faults, Query};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Metadata, Subscriber};

use crate::simulated::{orders, through};

/// Keeps every event as a line of its fields.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("planisphere_client")
            || metadata.target().starts_with("client")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(format!("{} ", event.metadata().level()));
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Listens on this thread. While there is only one listener, the library asks whichever thread comes by first whether
/// anybody listens, and remembers a no; with a second one it asks all of them.
fn listening(subscriber: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Lines::default()));
    LazyLock::force(&SECOND);
    tracing::subscriber::set_default(subscriber)
}

impl Lines {
    fn with(&self, words: &[&str]) -> usize {
        let lines = self.0.lock().unwrap();
        let has_all = |line: &&String| words.iter().all(|word| line.contains(word));
        let count = lines.iter().filter(has_all).count();
        assert!(count > 0, "{words:?} in {lines:#?}");
        count
    }
}

#[tokio::test]
async fn retries_are_logged_with_attempt_and_delay() {
    let lines = Lines::default();
    let _guard = listening(lines.clone());
    let (account, _, _) = orders(7).await;
    let faults = Faults::new();
    let orders = through(&account.with_faults(faults.clone()));
    faults.next(Fault::Throttled { delay: Duration::from_millis(777) });
    orders.read_properties().await.unwrap();
    lines.with(&["WARN", "trying again", "attempt=1", "delay_ms=777", "read container"]);
    lines.with(&["DEBUG", "answered", "attempts=2", "request_units="]);
}

#[tokio::test]
async fn a_fan_out_is_logged_with_its_reason_and_counted_once() {
    let lines = Lines::default();
    let _guard = listening(lines.clone());
    let (account, orders, _) = orders(7).await;
    let query = Query::text("SELECT * FROM c").fan_out("the report reads all");
    orders.query::<serde_json::Value>(&query).await.unwrap();
    assert_eq!(account.fan_outs(), 1);
    assert_eq!(lines.with(&["INFO", "the report reads all", "shop/orders"]), 1);
    let query = Query::text("SELECT * FROM c").within("ann".into());
    orders.query::<serde_json::Value>(&query).await.unwrap();
    assert_eq!(account.fan_outs(), 1);
}

/// Keeps the fields of every span that ended.
#[derive(Clone, Default)]
struct Spans {
    lines: Lines,
    open: Arc<Mutex<Vec<String>>>,
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "client::call"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields(format!("{} ", attributes.metadata().name()));
        attributes.record(&mut fields);
        let mut open = self.open.lock().unwrap();
        open.push(fields.0);
        Id::from_u64(open.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut open = self.open.lock().unwrap();
        let line = &mut open[usize::try_from(id.into_u64()).unwrap() - 1];
        let mut fields = Fields(std::mem::take(line));
        values.record(&mut fields);
        *line = fields.0;
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn try_close(&self, id: Id) -> bool {
        let open = self.open.lock().unwrap();
        let line = open[usize::try_from(id.into_u64()).unwrap() - 1].clone();
        self.lines.0.lock().unwrap().push(line);
        true
    }
}

#[tokio::test]
async fn a_call_is_one_span_with_what_it_cost_and_how_it_ended() {
    let (account, plain, _) = orders(7).await;
    let faults = Faults::new();
    let orders = through(&account.with_faults(faults.clone()));
    let item = serde_json::json!({"id": "1", "customer": "ann"});
    plain.create(&"ann".into(), &item).await.unwrap();
    let spans = Spans::default();
    let _guard = listening(spans.clone());
    faults.next(Fault::Unavailable);
    let charge = orders.read::<serde_json::Value>(&"ann".into(), "1").await.unwrap().charge;
    let missed = orders.read::<serde_json::Value>(&"ann".into(), "2").await.unwrap_err().charge();
    assert!((missed - 1.0).abs() < 1e-9, "a miss has its price: {missed}");
    let query = Query::text("SELECT * FROM c").within("ann".into());
    orders.query::<serde_json::Value>(&query).await.unwrap();
    let read = format!(
        "data call operation=\"read\" database=\"shop\" container=\"orders\" request_units={charge:?} rows=1 pages=0 \
         retries=1 status=\"ok\" "
    );
    assert_eq!(spans.lines.with(&[&read]), 1);
    let missed = ["operation=\"read\"", "request_units=1.0 ", "status=\"not found\""];
    assert_eq!(spans.lines.with(&missed), 1);
    assert_eq!(spans.lines.with(&["operation=\"query\"", "rows=1 pages=1 retries=0"]), 1);
}
