//! The environment of one test: an account in memory, a test clock, and a scripted provider that records pushes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use client::{Account, Environment, TimestampMs, TravellingClock};
use notifications::delivery::{Delivery, DeliveryResult, Push};
use notifications::{
    Device, DeviceId, DeviceRegistration, EventPayload, EventType, ListOptions, NewEvent,
    Notification, NotificationEvent, NotificationSettings, Notifications, Platform, PushToken,
    TargetType, UserId, UtcTimestamp,
};

/// The pushes that a fake provider received, and its results.
#[derive(Clone, Default)]
pub(crate) struct Provider(Arc<Mutex<Script>>);

#[derive(Default)]
struct Script {
    pushes: Vec<(String, Push)>,
    results: VecDeque<DeliveryResult>,
    always: Option<DeliveryResult>,
    not_configured: bool,
}

impl Provider {
    /// The next push gets this result.
    pub(crate) fn next(&self, result: DeliveryResult) {
        self.0.lock().unwrap().results.push_back(result);
    }

    /// Every push gets this result from now on; `None` for delivered.
    pub(crate) fn always(&self, result: Option<DeliveryResult>) {
        self.0.lock().unwrap().always = result;
    }

    pub(crate) fn not_configured(&self) {
        self.0.lock().unwrap().not_configured = true;
    }

    /// Device ids and pushes so far.
    pub(crate) fn pushes(&self) -> Vec<(String, Push)> {
        self.0.lock().unwrap().pushes.clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap().pushes.len()
    }
}

#[async_trait]
impl Delivery for Provider {
    async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        let mut script = self.0.lock().unwrap();
        script.pushes.push((device.device_id.as_str().to_owned(), push.clone()));
        let delivered = DeliveryResult::Delivered { provider_id: "p".to_owned() };
        let always = script.always.clone();
        script.results.pop_front().or(always).unwrap_or(delivered)
    }

    fn is_configured(&self, _: Platform) -> bool {
        !self.0.lock().unwrap().not_configured
    }
}

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) account: Account,
    pub(crate) environment: Environment,
    pub(crate) provider: Provider,
    pub(crate) system: Notifications,
}

/// Noon in UTC, outside of the default quiet hours, on a day without a change of daylight saving time.
pub(crate) const NOON: &str = "2025-06-10T12:00:00.000Z";

impl World {
    pub(crate) async fn new() -> Self {
        Self::at(NOON, NotificationSettings::default()).await
    }

    pub(crate) async fn at(time: &str, settings: NotificationSettings) -> Self {
        let (clock, account) = simulated(time).await;
        let environment = account.environment().clone();
        Self::on(clock, account, environment, settings).await
    }

    /// A world at noon whose sleeps take real time. Otherwise a loop that sleeps would move the test clock.
    pub(crate) async fn waiting(settings: NotificationSettings) -> Self {
        let (clock, account) = simulated(NOON).await;
        let environment = Environment::simulated(Arc::clone(&clock), 7);
        Self::on(clock, account, environment, settings).await
    }

    async fn on(
        clock: Arc<TravellingClock>,
        account: Account,
        environment: Environment,
        settings: NotificationSettings,
    ) -> Self {
        let provider = Provider::default();
        let delivery = Arc::new(provider.clone());
        let system = Notifications::open(account.clone(), settings, environment.clone(), delivery);
        let system = system.await.unwrap();
        Self { clock, account, environment, provider, system }
    }

    /// The same data, opened by another process.
    pub(crate) async fn reopened(&self) -> Notifications {
        self.reopened_on(self.account.clone()).await
    }

    pub(crate) async fn reopened_on(&self, account: Account) -> Notifications {
        let delivery = Arc::new(self.provider.clone());
        let settings = self.system.settings().clone();
        Notifications::open(account, settings, self.environment.clone(), delivery).await.unwrap()
    }

    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    pub(crate) fn travel_to(&self, time: &str) {
        let to = UtcTimestamp::parse(time).unwrap();
        self.clock.travel(to.since(UtcTimestamp::now(&self.environment)));
    }

    /// Processes everything that is new and everything that is due.
    pub(crate) async fn dispatch(&self) {
        self.system.sweep().await.unwrap();
        self.system.dispatcher("worker").await.unwrap().run_once().await.unwrap();
    }

    pub(crate) async fn send(&self, event: NewEvent) -> NotificationEvent {
        self.system.enqueue(event).await.unwrap().value
    }

    pub(crate) async fn send_and_dispatch(&self, event: NewEvent) -> NotificationEvent {
        let event = self.send(event).await;
        self.dispatch().await;
        self.event(&event).await
    }

    /// The event as it is stored now.
    pub(crate) async fn event(&self, event: &NotificationEvent) -> NotificationEvent {
        let events = &self.system.containers().events;
        let read =
            events.read::<NotificationEvent>(&event.user_id.partition_key(), &event.id).await;
        read.unwrap().value.into_value()
    }

    pub(crate) async fn list(&self, name: &str) -> Vec<Notification> {
        let options = ListOptions { limit: Some(100), ..ListOptions::default() };
        self.system.list(&user(name), &options).await.unwrap().value.notifications
    }

    pub(crate) async fn unread(&self, name: &str) -> u64 {
        self.system.unread_count(&user(name)).await.unwrap().value
    }

    pub(crate) async fn register(
        &self,
        name: &str,
        device: &str,
    ) -> notifications::RegisteredDevice {
        let registration = registration(device, &format!("token-of-{name}-{device}"));
        self.system.register_device(&user(name), &registration).await.unwrap().value
    }

    pub(crate) async fn active(&self, name: &str) -> Vec<String> {
        let devices = self.system.active_devices(&user(name)).await.unwrap().value;
        let mut ids: Vec<_> = devices.iter().map(|d| d.device_id.as_str().to_owned()).collect();
        ids.sort();
        ids
    }
}

async fn simulated(time: &str) -> (Arc<TravellingClock>, Account) {
    let start = UtcTimestamp::parse(time).unwrap();
    let clock = TravellingClock::starting_at(TimestampMs(start.ms()));
    let account = Account::simulated(&clock, 7).await.unwrap();
    (clock, account)
}

pub(crate) fn user(name: &str) -> UserId {
    UserId::parse(name).unwrap()
}

pub(crate) fn registration(device: &str, token: &str) -> DeviceRegistration {
    DeviceRegistration {
        device_id: DeviceId::parse(device).unwrap(),
        push_token: PushToken::parse(token).unwrap(),
        platform: Platform::Fcm,
        label: Some("Phone".to_owned()),
    }
}

/// An event about bob's post p1, caused by `actor`.
pub(crate) fn event(event_type: EventType, actor: &str) -> NewEvent {
    event_for("bob", event_type, actor, "p1")
}

pub(crate) fn event_for(name: &str, event_type: EventType, actor: &str, target: &str) -> NewEvent {
    NewEvent {
        user_id: user(name),
        event_type,
        payload: EventPayload {
            actor_id: Some(actor.to_owned()),
            actor_name: Some(actor.to_owned()),
            target_id: target.to_owned(),
            target_type: TargetType::Post,
            snippet: None,
            extra: serde_json::Map::new(),
        },
        dedupe_key: None,
        scheduled_at: None,
        idempotency_key: None,
    }
}

pub(crate) fn keyed(key: &str, event: NewEvent) -> NewEvent {
    NewEvent { dedupe_key: Some(key.to_owned()), ..event }
}

/// Counts of something by name.
pub(crate) fn counted<I: IntoIterator<Item = String>>(names: I) -> HashMap<String, usize> {
    names.into_iter().fold(HashMap::new(), |mut counts, name| {
        *counts.entry(name).or_default() += 1;
        counts
    })
}
