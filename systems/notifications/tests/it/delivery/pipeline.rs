//! The whole pipeline, from an event to a provider behind a socket, in more detail than NT-A9 and NT-A10.

use std::sync::Arc;

use client::Clock;
use notifications::delivery::fake::{
    ApnsRefusal, FakeApns, FakeFcm, FakeSmtp, FakeWebhook, FcmRefusal,
};
use notifications::delivery::{ProviderSettings, Providers};
use notifications::{
    Device, DeviceRegistration, EventStatus, EventType, NotificationEvent, Notifications, Platform,
    PushState,
};

use crate::world::{World, event_for, registration, user};

struct Line {
    world: World,
    fcm: FakeFcm,
    apns: FakeApns,
    webhook: FakeWebhook,
    smtp: FakeSmtp,
    system: Notifications,
}

impl Line {
    async fn new() -> Self {
        let world = World::new().await;
        let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
        let fcm = FakeFcm::start(Arc::clone(&clock)).await.unwrap();
        let apns = FakeApns::start(Arc::clone(&clock)).await.unwrap();
        let webhook = FakeWebhook::start(Arc::clone(&clock)).await.unwrap();
        let smtp = FakeSmtp::start().await.unwrap();
        let settings = ProviderSettings {
            fcm: fcm.settings(),
            apns: apns.settings(),
            webhook: webhook.settings(),
            smtp: smtp.settings(),
        };
        let providers = Arc::new(Providers::open(&settings, &clock).unwrap());
        let system = Notifications::open(
            world.account.clone(),
            world.system.settings().clone(),
            world.environment.clone(),
            providers,
        );
        let system = system.await.unwrap();
        Self { world, fcm, apns, webhook, smtp, system }
    }

    async fn register(&self, device: &str, platform: Platform, token: &str) {
        let registration = DeviceRegistration { platform, ..registration(device, token) };
        self.system.register_device(&user("bob"), &registration).await.unwrap();
    }

    /// Processes everything that is new and everything that is due.
    async fn dispatch(&self) {
        self.system.sweep().await.unwrap();
        self.system.dispatcher("worker").await.unwrap().run_once().await.unwrap();
    }

    async fn like(&self) -> NotificationEvent {
        self.like_of("p1").await
    }

    async fn like_of(&self, post: &str) -> NotificationEvent {
        let like = event_for("bob", EventType::PostLike, "alice", post);
        let event = self.system.enqueue(like).await.unwrap().value;
        self.dispatch().await;
        self.world.event(&event).await
    }

    async fn active(&self) -> Vec<Device> {
        self.system.active_devices(&user("bob")).await.unwrap().value
    }
}

#[tokio::test]
async fn nt_a09_a_wait_that_fcm_asks_for_is_kept() {
    let line = Line::new().await;
    line.register("phone", Platform::Fcm, "token-1").await;
    line.fcm.messages().next(FcmRefusal::QuotaExceeded(Some(3600)));
    let event = line.like().await;
    line.world.travel(59 * 60);
    line.dispatch().await;
    assert_eq!(line.fcm.messages().received().len(), 1);
    line.world.travel(15 * 60);
    line.dispatch().await;
    assert_eq!(line.world.event(&event).await.status, EventStatus::Completed);
    assert_eq!(line.fcm.messages().accepted().len(), 1);
}

#[tokio::test]
async fn nt_a09_an_unregistered_token_revokes_its_device_only() {
    let line = Line::new().await;
    line.register("old-phone", Platform::Fcm, "token-1").await;
    line.register("new-phone", Platform::Fcm, "token-2").await;
    line.fcm.messages().for_target("token-1", FcmRefusal::Unregistered);
    let event = line.like().await;
    assert_eq!(event.status, EventStatus::Completed);
    let active = line.active().await;
    let active: Vec<&str> = active.iter().map(|device| device.device_id.as_str()).collect();
    assert_eq!(active, ["new-phone"]);
}

#[tokio::test]
async fn nt_a10_a_token_that_apns_gave_up_revokes_its_device() {
    let line = Line::new().await;
    line.register("phone", Platform::Apns, "a1b2c3").await;
    let now_ms = line.world.clock.now().0;
    let gone = |timestamp_ms| ApnsRefusal {
        status: 410,
        reason: "Unregistered",
        timestamp_ms: Some(timestamp_ms),
    };
    line.apns.pushes().next(gone(now_ms - 1));
    assert_eq!(line.like().await.status, EventStatus::Completed);
    assert_eq!(line.active().await.len(), 1, "it registered after that moment");
    line.world.travel(60);
    line.apns.pushes().next(gone(now_ms + 1));
    assert_eq!(line.like_of("p2").await.status, EventStatus::Completed);
    assert_eq!(line.active().await.len(), 0);
    assert_eq!(line.apns.pushes().violations(), Vec::<String>::new());
}

#[tokio::test]
async fn one_event_reaches_every_platform_and_each_result_is_stored() {
    let line = Line::new().await;
    line.register("phone", Platform::Fcm, "token-1").await;
    line.register("hook", Platform::Webhook, &line.webhook.url("/hook")).await;
    line.register("mail", Platform::Mail, "bob@example.net").await;
    let code = crate::verification::code_in(&line.smtp.mails()[0].text);
    let mail = notifications::DeviceId::parse("mail").unwrap();
    line.system.verify_device(&user("bob"), &mail, &code).await.unwrap();
    let event = line.like().await;
    assert_eq!(event.status, EventStatus::Completed);
    let states: Vec<PushState> = event.deliveries.iter().map(|record| record.result).collect();
    assert_eq!(states, [PushState::Delivered; 3]);
    assert_eq!(line.fcm.messages().accepted().len(), 1);
    assert_eq!(line.webhook.pushes().violations(), Vec::<String>::new());
    assert_eq!(line.webhook.pushes().accepted().len(), 1);
    assert!(line.smtp.mails()[1].text.contains("Subject: alice liked your post"));
}
