//! What a test may do to a server that was started for it: move its clock, split a partition, enforce throughput.
//!
//! Owns the paths under `/_planisphere/test`, which exist only when the settings carry a [`TestControl`]; they are not
//! signed. Does not own time: the clock was given to the engine's environment before.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::operation::SplitPartition;
use engine::{Clock, ContainerLink, SystemClock};
use hyper::Method;
use model::{Json, Object, TimestampMs};

use crate::exchange::{Failure, Outcome, Reply};
use crate::gateway::Gateway;
use crate::route::Path;

/// The machine's clock, moved forward by what tests asked for.
#[derive(Debug, Default)]
pub struct TestControl {
    ahead_ms: AtomicU64,
}

impl TestControl {
    /// A control whose clock shows the machine's time until it is moved.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    fn advance(&self, by: Duration) {
        let by_ms = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.ahead_ms.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl Clock for TestControl {
    fn now(&self) -> TimestampMs {
        TimestampMs(SystemClock.now().0.saturating_add(self.ahead_ms.load(Ordering::SeqCst)))
    }

    fn stopwatch(&self) -> Duration {
        SystemClock.stopwatch()
    }
}

/// Whether a path is one of a test.
pub(crate) fn is_for_test(gateway: &Gateway, method: &Method, path: &Path<'_>) -> bool {
    let is_ours = path.raw.starts_with("_planisphere/test/");
    is_ours && method == Method::POST && gateway.settings().test_control.is_some()
}

/// Does what the test asks.
pub(crate) async fn control(gateway: &Gateway, path: &Path<'_>, body: &[u8]) -> Outcome<Reply> {
    let wish = Json::parse(body).map_err(Failure::invalid_payload)?;
    match (path.raw, &gateway.settings().test_control) {
        ("_planisphere/test/advance-clock", Some(control)) => {
            let seconds = wish.get("seconds").and_then(Json::as_i64);
            let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
            let seconds = seconds.ok_or_else(|| wanted("seconds"))?;
            control.advance(Duration::from_secs(seconds));
            gateway.engine().maintain_fully().await.map_err(Failure::from)?;
            Ok(Reply::ok(Json::Object(Object::new()).to_bytes()))
        }
        ("_planisphere/test/split-partition", Some(_)) => split(gateway, &wish).await,
        ("_planisphere/test/enforce-throughput", Some(_)) => {
            let link = container(&wish)?;
            gateway.engine().enforce_throughput(&link, Some(true)).await.map_err(Failure::from)?;
            Ok(Reply::ok(Json::Object(Object::new()).to_bytes()))
        }
        ("_planisphere/test/was-throttled", Some(_)) => was_throttled(gateway, &wish),
        _ => Err(Failure::not_found(
            "A test can advance-clock, split-partition, enforce-throughput or ask was-throttled.",
        )),
    }
}

fn container(wish: &Json) -> Outcome<ContainerLink> {
    let text = |name| wish.get(name).and_then(Json::as_str).ok_or_else(|| wanted(name));
    ContainerLink::new(text("database")?, text("container")?)
        .map_err(|invalid| Failure::bad_request(invalid.message()))
}

/// Says yes only if a request to the container was told to wait; clients that retry hide it.
fn was_throttled(gateway: &Gateway, wish: &Json) -> Outcome<Reply> {
    let throttled = gateway.engine().throttled_requests(&container(wish)?)?;
    if throttled == 0 {
        let message = "No request to the container was throttled.";
        return Err(Failure::new(hyper::StatusCode::CONFLICT, message));
    }
    let mut object = Object::new();
    object.insert("throttled", i64::try_from(throttled).unwrap_or(i64::MAX));
    Ok(Reply::ok(Json::Object(object).to_bytes()))
}

async fn split(gateway: &Gateway, wish: &Json) -> Outcome<Reply> {
    let container = container(wish)?;
    let partition = match wish.get("partition").and_then(Json::as_i64) {
        Some(number) => u32::try_from(number).map_err(|_| wanted("partition"))?,
        None => {
            let listed = gateway.engine().list_partitions(&container).await;
            let listed = listed.map_err(Failure::from)?.value.partitions;
            listed.first().ok_or_else(|| wanted("partition"))?.number
        }
    };
    let operation = SplitPartition { container, partition, at: None };
    gateway.engine().split_partition(operation).await.map_err(Failure::from)?;
    Ok(Reply::ok(Json::Object(Object::new()).to_bytes()))
}

fn wanted(member: &str) -> Failure {
    Failure::bad_request(format!("The control of a test needs the member '{member}'."))
}
