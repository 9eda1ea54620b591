//! CH-071, CH-087, CH-088: what a start and the repositories log, and what they must not.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, OnceLock};

use chat::{Chat, ChatParts};
use serde_json::json;
use service::settings::Secret;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::site::{Interface, Site};
use crate::world::{ALICE, Embedded, World, settings};

/// The lines that the chat logs: an event, a span or the values that a span gets, with all fields.
#[derive(Clone, Default)]
struct ChatLog(Arc<Mutex<Vec<String>>>);

struct LineVisitor(String);

impl Visit for LineVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl ChatLog {
    /// For all threads, from the first call on: a call that was made before without a listener stays unheard.
    fn start() -> &'static Self {
        static LOG: OnceLock<ChatLog> = OnceLock::new();
        LOG.get_or_init(|| {
            let log = Self::default();
            tracing::subscriber::set_global_default(log.clone()).unwrap();
            log
        })
    }

    fn keep(&self, begin: String, record: impl FnOnce(&mut LineVisitor)) {
        let mut line = LineVisitor(begin);
        record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    /// Lines with all of these texts.
    fn find(&self, texts: &[&str]) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|line| texts.iter().all(|text| line.contains(text))).cloned().collect()
    }
}

impl Subscriber for ChatLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("chat")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        self.keep(attributes.metadata().name().to_owned(), |line| attributes.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.keep("recorded".to_owned(), |line| values.record(line));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.keep(event.metadata().level().to_string(), |line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_071_ch_087_a_start_without_redis_goes_on_and_logs_the_endpoint_without_the_password() {
    let log = ChatLog::start();
    let world = World::new::<Embedded>().await;
    let mut settings = settings();
    settings.cosmos.database = "logged-start".to_owned();
    // A port that nobody listens on.
    settings.redis.connection_string = Secret::new("redis://:hunter2@127.0.0.1:9");
    let (account, environment) = (world.account.clone(), world.environment.clone());
    let chat = Chat::open(account, settings, environment, ChatParts::default()).await.unwrap();
    let begun = log.find(&["INFO", "Initializing Cosmos DB clients", "logged-start"]);
    assert_eq!(begun.len(), 1, "{begun:?}");
    let redis = log.find(&["WARN", "Redis connection", "127.0.0.1:9", "status="]);
    assert_eq!(redis.len(), 1, "{redis:?}");
    assert_eq!(log.find(&["hunter2"]), Vec::<String>::new());
    // It serves, and readiness names what is missing.
    chat.seed().await.unwrap();
    let api = Interface::of(&chat, &world.environment).await;
    assert_eq!(api.get(ALICE, "/api/rooms").await.0, 200);
    let (status, ready) = api.call(None, "GET", "/healthz/ready", None).await;
    assert!(status == 503 && ready.to_string().contains("redis"), "{status} {ready}");
    assert!(!ready.to_string().contains("hunter2"), "{ready}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_088_queries_have_a_span_with_pages_and_rows_and_texts_of_clients_stay_one_line() {
    let log = ChatLog::start();
    let site = Site::new::<Embedded>(settings()).await;
    // More than one page of rooms, and a number that no other test has.
    for number in 0..228 {
        site.world.chat.create_room(&format!("room-{number:03}"), None).await.unwrap();
    }
    assert_eq!(site.world.chat.rooms().get_all().await.unwrap().value.len(), 231);
    assert!(!log.find(&["repository", "operation=\"rooms.get_all\""]).is_empty());
    let pages = log.find(&["DEBUG", "operation=\"rooms.get_all\"", "page=", "rows="]);
    assert!(!pages.is_empty(), "every page is an event with its rows");
    let body = json!({
        "attempt": 7, "delayMs": 1, "errorMessage": "lost\r\nERROR forged line \u{1b}[2J",
        "errorCategory": "a\nb",
    });
    assert_eq!(site.interface.post(ALICE, "/api/telemetry/reconnect", body).await.0, 202);
    let lines = log.find(&["a client reconnected", "forged"]);
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(line.contains("lost  ERROR forged line  [2J") && line.contains("a b"), "{line}");
}
