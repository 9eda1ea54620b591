//! Mail addresses and webhooks must be proved to belong to the user who registers them.

use std::sync::Arc;

use client::Clock;
use notifications::delivery::fake::{FakeResponse, FakeSmtp, FakeWebhook};
use notifications::delivery::{ProviderSettings, Providers, WebhookSettings};
use notifications::{DeviceId, DeviceRegistration, ErrorKind, EventType, Notifications, Platform};

use crate::world::{World, registration, user};

/// The code in a mail.
pub(crate) fn code_in(mail: &str) -> String {
    let is_code = |line: &&str| line.len() == 8 && line.bytes().all(|byte| byte.is_ascii_digit());
    mail.lines()
        .map(str::trim)
        .find(is_code)
        .unwrap_or_else(|| panic!("no code in {mail}"))
        .to_owned()
}

struct Ground {
    world: World,
    webhook: FakeWebhook,
    smtp: FakeSmtp,
    system: Notifications,
}

impl Ground {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut WebhookSettings)) -> Self {
        let world = World::new().await;
        let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
        let webhook = FakeWebhook::start(Arc::clone(&clock)).await.unwrap();
        let smtp = FakeSmtp::start().await.unwrap();
        let mut settings = ProviderSettings {
            webhook: webhook.settings(),
            smtp: smtp.settings(),
            ..ProviderSettings::default()
        };
        change(&mut settings.webhook);
        let providers = Arc::new(Providers::open(&settings, &clock).unwrap());
        let (account, environment) = (world.account.clone(), world.environment.clone());
        let settings = world.system.settings().clone();
        let system = Notifications::open(account, settings, environment, providers).await.unwrap();
        Self { world, webhook, smtp, system }
    }

    async fn register(
        &self,
        name: &str,
        platform: Platform,
        address: &str,
    ) -> Result<bool, notifications::Error> {
        let registration = DeviceRegistration { platform, ..registration("d", address) };
        let registered = self.system.register_device(&user(name), &registration).await?;
        Ok(registered.value.device.is_verified())
    }

    async fn verify(&self, name: &str, code: &str) -> Result<bool, notifications::Error> {
        let device = DeviceId::parse("d").unwrap();
        let verified = self.system.verify_device(&user(name), &device, code).await?;
        Ok(verified.value.is_verified())
    }

    fn last_code(&self) -> String {
        code_in(&self.smtp.mails().last().unwrap().text)
    }

    /// Sends a notification to a user and returns how many mails there are then.
    async fn mails_after_event(&self, name: &str) -> usize {
        let event = crate::world::event_for(name, EventType::PostLike, "alice", "p1");
        self.system.enqueue(event).await.unwrap();
        self.system.dispatcher("worker").await.unwrap().run_once().await.unwrap();
        self.smtp.mails().len()
    }
}

const ADDRESS: &str = "bob@example.net";

#[tokio::test]
async fn nothing_is_sent_to_a_mail_address_before_its_code_is_given() {
    let ground = Ground::new().await;
    assert!(!ground.register("bob", Platform::Mail, ADDRESS).await.unwrap());
    assert_eq!(ground.smtp.mails().len(), 1, "the code");
    assert_eq!(ground.mails_after_event("bob").await, 1, "no push");
    let code = ground.last_code();
    let wrong = if code == "00000000" { "00000001" } else { "00000000" };
    let refused = ground.verify("bob", wrong).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert_eq!(ground.verify("eve", &code).await.unwrap_err().kind(), ErrorKind::NotFound);
    assert!(ground.verify("bob", &code).await.unwrap());
    assert!(ground.verify("bob", "anything").await.unwrap(), "repeating changes nothing");
    ground.world.travel(3600);
    assert_eq!(ground.mails_after_event("bob").await, 2);
    // A refresh with the same address needs no other code.
    assert!(ground.register("bob", Platform::Mail, ADDRESS).await.unwrap());
    assert_eq!(ground.smtp.mails().len(), 2);
}

#[tokio::test]
async fn a_code_can_be_tried_a_few_times_and_for_an_hour() {
    let ground = Ground::new().await;
    ground.register("bob", Platform::Mail, ADDRESS).await.unwrap();
    let code = ground.last_code();
    for _ in 0..5 {
        assert!(ground.verify("bob", "x").await.is_err());
    }
    let exhausted = ground.verify("bob", &code).await.unwrap_err();
    assert!(exhausted.to_string().contains("expired"), "{exhausted}");
    ground.register("bob", Platform::Mail, ADDRESS).await.unwrap();
    let second = ground.last_code();
    ground.world.travel(3600);
    assert!(ground.verify("bob", &second).await.is_err(), "it is too late");
    ground.register("bob", Platform::Mail, ADDRESS).await.unwrap();
    assert!(ground.verify("bob", &ground.last_code()).await.unwrap());
}

#[tokio::test]
async fn a_user_cannot_flood_addresses_with_codes() {
    let ground = Ground::new().await;
    for number in 0..5 {
        let address = format!("victim{number}@example.net");
        ground.register("eve", Platform::Mail, &address).await.unwrap();
    }
    let refused = ground.register("eve", Platform::Mail, "victim9@example.net").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(ground.smtp.mails().len(), 5);
    ground.world.travel(3601);
    ground.register("eve", Platform::Mail, "victim9@example.net").await.unwrap();
}

#[tokio::test]
async fn a_verified_address_is_not_taken_away_by_another_user() {
    let ground = Ground::new().await;
    ground.register("bob", Platform::Mail, ADDRESS).await.unwrap();
    assert!(ground.verify("bob", &ground.last_code()).await.unwrap());
    // Registering alone changes nothing for the first user.
    assert!(!ground.register("eve", Platform::Mail, ADDRESS).await.unwrap());
    assert_eq!(ground.system.active_devices(&user("bob")).await.unwrap().value.len(), 1);
    // Nor does knowing the code, as long as the first user has the address.
    let refused = ground.verify("eve", &ground.last_code()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert!(ground.system.active_devices(&user("bob")).await.unwrap().value[0].is_verified());
    let device = DeviceId::parse("d").unwrap();
    ground.system.revoke_device(&user("bob"), &device).await.unwrap();
    assert!(ground.verify("eve", &ground.last_code()).await.unwrap(), "it was given up");
    // The first user is not verified again by having been so before.
    assert!(!ground.register("bob", Platform::Mail, ADDRESS).await.unwrap());
}

#[tokio::test]
async fn an_address_that_nobody_verified_is_nobodys() {
    let ground = Ground::new().await;
    assert!(!ground.register("eve", Platform::Mail, ADDRESS).await.unwrap());
    ground.register("bob", Platform::Mail, ADDRESS).await.unwrap();
    assert!(ground.verify("bob", &ground.last_code()).await.unwrap());
}

#[tokio::test]
async fn a_webhook_is_verified_by_repeating_a_challenge() {
    let ground = Ground::new().await;
    let url = ground.webhook.url("/hook");
    assert!(ground.register("bob", Platform::Webhook, &url).await.unwrap());
    let taken = ground.register("eve", Platform::Webhook, &url).await.unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::Conflict);
    for answer in [
        FakeResponse::status(200),
        FakeResponse::status(404),
        FakeResponse::json(200, &serde_json::json!({ "challenge": "another" })),
    ] {
        ground.webhook.challenges().next(answer);
        let other = ground.webhook.url("/other");
        let refused = ground.register("ann", Platform::Webhook, &other).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused}");
        assert_eq!(refused.invalid_fields()[0].field, "pushToken");
    }
}

#[tokio::test]
async fn the_url_of_a_webhook_is_checked_when_it_is_registered() {
    let ground = Ground::with(|webhook| webhook.allow_private_addresses = false).await;
    for url in [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://0.0.0.0/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://2130706433/",
        "http://example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "not-a-url",
    ] {
        let refused = ground.register("bob", Platform::Webhook, url).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{url}");
        assert_eq!(refused.invalid_fields()[0].field, "pushToken", "{url}");
    }
    let refused = ground.register("bob", Platform::Mail, "not-an-address").await.unwrap_err();
    assert_eq!(refused.invalid_fields()[0].field, "pushToken");
    assert!(ground.system.devices(&user("bob")).await.unwrap().value.is_empty());
}
