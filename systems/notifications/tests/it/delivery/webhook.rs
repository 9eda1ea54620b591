//! Webhooks: the signature, the allowed addresses, and each class of status.

use std::sync::Arc;

use notifications::Platform;
use notifications::delivery::fake::{FakeResponse, FakeWebhook, ResponseGate, ScriptedFault};
use notifications::delivery::{
    Delivery, DeliveryResult, ProviderSettings, Providers, WebhookSettings, WebhookSigner,
};
use serde_json::json;

use service::settings::Secret;

use super::ground::{Ground, NOW_MS, device, push, sent};

struct Stage {
    ground: Ground,
    fake: FakeWebhook,
    providers: Providers,
}

async fn stage() -> Stage {
    stage_with(|_| {}).await
}

async fn stage_with(change: impl FnOnce(&mut WebhookSettings)) -> Stage {
    let ground = Ground::new();
    let fake = FakeWebhook::start(Arc::clone(&ground.clock)).await.unwrap();
    let mut settings = fake.settings();
    change(&mut settings);
    let settings = ProviderSettings { webhook: settings, ..ProviderSettings::default() };
    let providers = ground.providers(&settings);
    Stage { ground, fake, providers }
}

impl Stage {
    async fn push(&self) -> String {
        self.push_to(&self.fake.url("/hook")).await
    }

    async fn push_to(&self, url: &str) -> String {
        sent(&self.providers, &device(Platform::Webhook, url), &push()).await
    }
}

async fn check(fault: impl Into<ScriptedFault>, expected: &str) {
    let stage = stage().await;
    stage.fake.pushes().next(fault);
    assert_eq!(stage.push().await, expected);
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());
    assert_eq!(stage.fake.pushes().received().len(), 1);
    assert_eq!(stage.push().await, "delivered", "the next push is not affected");
}

#[tokio::test]
async fn a_push_arrives_signed() {
    let stage = stage().await;
    let url = stage.fake.url("/hook");
    let result = stage.providers.push(&device(Platform::Webhook, &url), &push()).await;
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());
    let received = stage.fake.pushes().received().remove(0);
    let provider_id = received.header("webhook-id").to_owned();
    assert_eq!(result, DeliveryResult::Delivered { provider_id });
    assert_eq!(received.method, "POST");
    assert_eq!(received.header("content-type"), "application/json");
    assert_eq!(received.header("webhook-timestamp"), (NOW_MS / 1000).to_string());
    assert!(received.header("webhook-signature").starts_with("v1,"));
    let expected = json!({
        "type": "notification",
        "timestamp": "2025-07-02T15:00:00.000Z",
        "data": {
            "notificationId": push().notification_id,
            "deviceId": "phone-1",
            "category": "SOCIAL",
            "title": "alice liked your post",
            "body": "A walk in the hills",
            "deeplink": "asora://post/p1",
            "collapseId": push().collapse_id,
            "badge": 3,
            "data": { "actorId": "alice" },
        },
    });
    assert_eq!(received.json(), expected);
}

#[tokio::test]
async fn the_same_push_has_the_same_id_later() {
    let stage = stage().await;
    stage.push().await;
    stage.ground.travel_minutes(10);
    stage.push().await;
    let received = stage.fake.pushes().received();
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_ne!(received[0].header("webhook-timestamp"), received[1].header("webhook-timestamp"));
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());
    assert_eq!(stage.fake.pushes().accepted_by_collapse_id()[&push().collapse_id], 2);
}

/// The example that the convention itself publishes.
#[test]
fn the_signature_follows_the_convention() {
    let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let signature = WebhookSigner::new(&secret).unwrap();
    let body = br#"{"test": 2432232314}"#;
    let signed = signature.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
    assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

#[test]
fn a_signature_is_valid_only_for_its_content_and_time() {
    let signature = WebhookSigner::new(&Secret::new("a secret of more than 24 bytes")).unwrap();
    let signed = signature.sign("id", 1000, b"body");
    let holds = |id, timestamp, body: &[u8], signatures: &str, now| {
        signature.verify(id, timestamp, body, signatures, now)
    };
    assert!(holds("id", "1000", b"body", &signed, 1000));
    assert!(holds("id", "1000", b"body", &signed, 1300));
    assert!(holds("id", "1000", b"body", &format!("v1,AAAA {signed}"), 700));
    assert!(!holds("id", "1000", b"body", &signed, 1301), "too old");
    assert!(!holds("id", "1000", b"body", &signed, 699), "of the future");
    assert!(!holds("id", "1001", b"body", &signed, 1000));
    assert!(!holds("other", "1000", b"body", &signed, 1000));
    assert!(!holds("id", "1000", b"Body", &signed, 1000));
    assert!(!holds("id", "soon", b"body", &signed, 1000));
    assert!(!holds("id", "1000", b"body", "", 1000));
    let other = WebhookSigner::new(&Secret::new("another secret of 24 bytes")).unwrap();
    assert!(!other.verify("id", "1000", b"body", &signed, 1000));
}

#[tokio::test]
async fn statuses_are_distinguished() {
    for status in [200, 201, 202, 204] {
        check(FakeResponse::status(status), "delivered").await;
    }
    for status in [400, 401, 403, 404, 405, 413, 415, 422] {
        check(FakeResponse::status(status), &format!("permanent: webhook: status {status}")).await;
    }
    for status in [408, 425, 429, 500, 502, 503, 504] {
        check(FakeResponse::status(status), &format!("retry: webhook: status {status}")).await;
    }
    check(FakeResponse::status(410), "invalid token").await;
    let asked = FakeResponse::status(429).header("retry-after", "17");
    check(asked, "retry after 17 s: webhook: status 429").await;
    check(
        ScriptedFault::DropConnection,
        "retry: webhook: the connection was closed before the response",
    )
    .await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let stage = stage().await;
        let elsewhere = stage.fake.url("/elsewhere");
        stage
            .fake
            .pushes()
            .for_target("/hook", FakeResponse::status(status).header("location", &elsewhere));
        let expected = format!(
            "permanent: webhook: status {status}; redirects are not followed, register the new URL"
        );
        assert_eq!(stage.push().await, expected);
        assert_eq!(stage.fake.pushes().received().len(), 1);
    }
}

#[tokio::test]
async fn private_addresses_are_refused_unless_allowed() {
    let stage = stage_with(|settings| settings.allow_private_addresses = false).await;
    let private = "permanent: webhook: the host has no public address; \
                   Webhook:AllowPrivateAddresses would allow it";
    let secure = stage.fake.url("/hook").replace("http:", "https:");
    assert_eq!(stage.push_to(&secure).await, private);
    // A name leads to the same address, and the check is made where the name is looked up.
    assert_eq!(stage.push_to(&secure.replace("127.0.0.1", "localhost")).await, private);
    for url in
        ["https://10.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest", "https://0x7f.1/"]
    {
        assert_eq!(stage.push_to(url).await, private, "{url}");
    }
    let plain = "permanent: webhook: the URL must begin with https";
    assert_eq!(stage.push().await, plain);
    assert_eq!(stage.fake.pushes().received().len(), 0);
}

#[tokio::test]
async fn only_allowed_hosts_are_called() {
    let stage = stage_with(|settings| settings.allowed_hosts = vec!["127.0.0.1".to_owned()]).await;
    assert_eq!(stage.push().await, "delivered");
    let other = stage.fake.url("/hook").replace("127.0.0.1", "localhost");
    let expected = "permanent: webhook: the host is not among Webhook:AllowedHosts";
    assert_eq!(stage.push_to(&other).await, expected);
    assert_eq!(stage.fake.pushes().received().len(), 1);
}

#[tokio::test]
async fn an_invalid_url_is_permanent() {
    let stage = stage().await;
    for (url, wrong) in [
        ("not-a-url", "the push token is not a URL"),
        ("ftp://127.0.0.1/", "the URL must begin with https"),
        ("mailto:bob@example.org", "the URL has no host"),
        (
            "https://me:secret@127.0.0.1/",
            "the URL has a login; the signature authenticates the sender",
        ),
    ] {
        assert_eq!(stage.push_to(url).await, format!("permanent: webhook: {wrong}"));
    }
}

#[tokio::test]
async fn a_timeout_is_tried_again() {
    let stage = stage_with(|settings| settings.timeout_seconds = 1).await;
    let gate = ResponseGate::default();
    stage.fake.pushes().next(ScriptedFault::Hold(gate.clone()));
    assert_eq!(stage.push().await, "retry: webhook: no response in time");
    gate.open();
}
