//! A panic in a handler: the client gets a 500 with an activity id, and the log has the message.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{Clock, Engine, EngineSettings, Environment, SeededRandomness, TokioSpawner};
use gateway::{Gateway, GatewaySettings, Log};
use model::TimestampMs;

use crate::client::NOW_SECONDS;
use crate::in_process::request;

/// A clock that panics on request.
#[derive(Debug, Default)]
struct BrokenClock {
    is_broken: AtomicBool,
}

impl Clock for BrokenClock {
    fn now(&self) -> TimestampMs {
        assert!(!self.is_broken.load(Ordering::SeqCst), "the clock is broken");
        TimestampMs(NOW_SECONDS * 1000)
    }

    fn stopwatch(&self) -> Duration {
        Duration::ZERO
    }
}

#[tokio::test]
async fn a_panic_becomes_an_error_response_and_a_log_message() {
    let clock = Arc::new(BrokenClock::default());
    let randomness = Arc::new(SeededRandomness::new(7));
    let environment = Environment::new(clock.clone(), randomness, Arc::new(TokioSpawner));
    let store = Arc::new(storage::memory::MemoryStore::new());
    let engine = Engine::open(store, environment, EngineSettings::default()).await.unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&lines);
    let log = Log::new(move |line| written.lock().unwrap().push(line.to_owned()));
    let gateway = Gateway::new(engine, GatewaySettings { log, ..GatewaySettings::default() });
    let get = || request("GET", "/dbs", &[], b"");
    crate::in_process::send(&gateway, get()).await.expect(200);
    clock.is_broken.store(true, Ordering::SeqCst);
    let failed = crate::in_process::send(&gateway, get()).await;
    failed.refused(500, None, "a bug of this server");
    assert_eq!(failed.string("code"), "InternalServerError");
    let activity = failed.has("x-ms-activity-id").to_owned();
    let expected = lines.lock().unwrap().clone();
    assert_eq!(expected.len(), 1, "{expected:?}");
    assert!(
        expected[0].contains(&activity) && expected[0].contains("the clock is broken"),
        "{expected:?}"
    );
    assert!(!failed.text().contains("the clock is broken"), "what broke is for the log alone");
    clock.is_broken.store(false, Ordering::SeqCst);
    crate::in_process::send(&gateway, get()).await.expect(200);
    assert_eq!(lines.lock().unwrap().len(), 1);
}
