//! The environment of one scenario: an engine on a test clock, the system on an account, the fake providers.

use std::sync::Arc;
use std::time::Duration;

use client::{Account, Clock, Environment, TimestampMs, TravellingClock};
use engine::Engine;
use notifications::delivery::fake::{FakeApns, FakeFcm};
use notifications::delivery::{Delivery, ProviderSettings, Providers};
use notifications::{EventStatus, NotificationSettings, Notifications, UtcTimestamp};
use serde_json::{Value, json};

use super::ask::{Ask, AskResult, Way};
use crate::world::NOON;

pub(crate) struct Stage<W: Way> {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) environment: Environment,
    pub(crate) engine: Engine,
    /// An account of the test itself on the same data.
    pub(crate) store: Account,
    pub(crate) system: Notifications,
    pub(crate) fcm: FakeFcm,
    pub(crate) apns: FakeApns,
    delivery: Arc<dyn Delivery>,
    way: W,
    servers: std::sync::Mutex<Vec<W::Server>>,
}

impl<W: Way> Stage<W> {
    pub(crate) async fn new() -> Self {
        Self::at(NOON, NotificationSettings::default()).await
    }

    pub(crate) async fn at(time: &str, settings: NotificationSettings) -> Self {
        let start = UtcTimestamp::parse(time).unwrap();
        let clock = TravellingClock::starting_at(TimestampMs(start.ms()));
        let environment = Environment::travelling(Arc::clone(&clock), 7);
        let engine = Engine::simulated(environment.clone()).await.unwrap();
        let store = Account::embedded(engine.clone()).await.unwrap();
        let time: Arc<dyn Clock> = Arc::clone(&clock) as Arc<dyn Clock>;
        let fcm = FakeFcm::start(Arc::clone(&time)).await.unwrap();
        let apns = FakeApns::start(Arc::clone(&time)).await.unwrap();
        let providers = ProviderSettings {
            fcm: fcm.settings(),
            apns: apns.settings(),
            ..ProviderSettings::default()
        };
        let delivery: Arc<dyn Delivery> = Arc::new(Providers::open(&providers, &time).unwrap());
        let (account, server) = W::account(&engine).await;
        let system =
            Notifications::open(account, settings, environment.clone(), Arc::clone(&delivery));
        let system = system.await.unwrap();
        let way = W::drive(&system, &environment).await;
        let servers = std::sync::Mutex::new(vec![server]);
        Self { clock, environment, engine, store, system, fcm, apns, delivery, way, servers }
    }

    /// The same data, opened by another process with its own account.
    pub(crate) async fn another_process(&self) -> Notifications {
        let (account, server) = W::account(&self.engine).await;
        self.servers.lock().unwrap().push(server);
        let (settings, delivery) = (self.system.settings().clone(), Arc::clone(&self.delivery));
        Notifications::open(account, settings, self.environment.clone(), delivery).await.unwrap()
    }

    pub(crate) async fn ask(&self, ask: Ask<'_>) -> AskResult {
        self.way.ask(ask).await
    }

    /// Makes a request that must succeed.
    pub(crate) async fn answer(&self, ask: Ask<'_>) -> Value {
        self.ask(ask).await.unwrap_or_else(|refused| panic!("{ask:?}: {refused:?}"))
    }

    pub(crate) fn now(&self) -> UtcTimestamp {
        UtcTimestamp::now(&self.environment)
    }

    pub(crate) fn travel_minutes(&self, minutes: u64) {
        self.clock.travel(Duration::from_secs(60 * minutes));
    }

    pub(crate) fn travel_to(&self, time: &str) {
        let to = UtcTimestamp::parse(time).unwrap();
        self.clock.travel(to.since(self.now()));
    }

    /// Processes everything that is new and everything that is due.
    pub(crate) async fn dispatch(&self) {
        self.system.sweep().await.unwrap();
        self.system.dispatcher("worker").await.unwrap().run_once().await.unwrap();
    }

    /// Sends an event for one user and returns its id.
    pub(crate) async fn send(&self, event: &Value) -> String {
        let sent = self.answer(Ask::Send(event)).await;
        assert_eq!(sent["queued"], 1, "{sent}");
        sent["events"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Sends an event, processes it, and returns it.
    pub(crate) async fn processed(&self, event: &Value) -> Value {
        let id = self.send(event).await;
        self.dispatch().await;
        self.event(&id).await
    }

    /// The event as an operator sees it now.
    pub(crate) async fn event(&self, id: &str) -> Value {
        for status in EventStatus::ALL {
            if let Some(event) = self.find(status.name(), id).await {
                return event;
            }
        }
        panic!("no operator sees the event {id}");
    }

    /// The event of this id among those of a status, or the dead ones.
    pub(crate) async fn find(&self, status: &str, id: &str) -> Option<Value> {
        let mut continuation = String::new();
        loop {
            let page = self.answer(Ask::Events(status, &continuation)).await;
            let mut events = page["events"].as_array().unwrap().iter();
            if let Some(event) = events.find(|event| event["id"] == id) {
                return Some(event.clone());
            }
            continuation = page["continuationToken"].as_str()?.to_owned();
        }
    }

    pub(crate) async fn list(&self, user: &str) -> Vec<Value> {
        let page = self.answer(Ask::List(user)).await;
        page["notifications"].as_array().unwrap().clone()
    }

    pub(crate) async fn unread(&self, user: &str) -> u64 {
        self.answer(Ask::Unread(user)).await["unreadCount"].as_u64().unwrap()
    }

    pub(crate) async fn prefer(&self, user: &str, change: Value) {
        self.answer(Ask::Prefer(user, &change)).await;
    }

    /// Registers a device of FCM.
    pub(crate) async fn register(&self, user: &str, device: &str) -> Value {
        self.register_at("fcm", user, device).await
    }

    pub(crate) async fn register_at(&self, platform: &str, user: &str, device: &str) -> Value {
        let token = format!("token-of-{user}-{device}");
        let body = json!({ "deviceId": device, "pushToken": token, "platform": platform });
        self.answer(Ask::Register(user, &body)).await
    }

    pub(crate) async fn devices(&self, user: &str) -> Vec<Value> {
        self.answer(Ask::Devices(user)).await["devices"].as_array().unwrap().clone()
    }

    /// Device ids of the active devices, sorted.
    pub(crate) async fn active(&self, user: &str) -> Vec<String> {
        let devices = self.devices(user).await;
        let active = devices.iter().filter(|device| device["revokedAt"].is_null());
        let mut ids: Vec<_> =
            active.map(|device| device["deviceId"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    }

    /// The pushes that FCM has accepted so far.
    pub(crate) fn pushed(&self) -> usize {
        assert_eq!(self.fcm.messages().violations(), Vec::<String>::new());
        self.fcm.messages().accepted().len()
    }
}

/// An event about a post of the user, caused by `actor`.
pub(crate) fn event(user: &str, event_type: &str, actor: &str, post: &str) -> Value {
    let payload =
        json!({ "actorId": actor, "actorName": actor, "targetId": post, "targetType": "post" });
    json!({ "userId": user, "eventType": event_type, "payload": payload })
}

/// Alice or somebody else likes bob's post p1.
pub(crate) fn like(actor: &str) -> Value {
    event("bob", "POST_LIKE", actor, "p1")
}

pub(crate) fn keyed(key: &str, mut event: Value) -> Value {
    event["dedupeKey"] = json!(key);
    event
}
