//! APNs: headers, provider tokens, the payload, and each class of response.

use std::sync::Arc;

use futures::future::join_all;
use notifications::delivery::fake::{
    ApnsRefusal, FakeApns, FakeResponse, ResponseGate, ScriptedFault,
};
use notifications::delivery::{
    ApnsSettings, Delivery, DeliveryResult, ProviderSettings, Providers,
};
use notifications::{Category, Platform, UtcTimestamp};
use serde_json::json;

use super::ground::{Ground, NOW_MS, TOKEN, device, push, sent};

struct Stage {
    ground: Ground,
    fake: FakeApns,
    providers: Providers,
}

async fn stage() -> Stage {
    stage_with(|_| {}).await
}

async fn stage_with(change: impl FnOnce(&mut ApnsSettings)) -> Stage {
    let ground = Ground::new();
    let fake = FakeApns::start(Arc::clone(&ground.clock)).await.unwrap();
    let mut settings = fake.settings();
    change(&mut settings);
    let settings = ProviderSettings { apns: settings, ..ProviderSettings::default() };
    let providers = ground.providers(&settings);
    Stage { ground, fake, providers }
}

impl Stage {
    async fn push(&self) -> String {
        sent(&self.providers, &device(Platform::Apns, TOKEN), &push()).await
    }
}

async fn check(fault: impl Into<ScriptedFault>, expected: &str) {
    let stage = stage().await;
    stage.fake.pushes().next(fault);
    assert_eq!(stage.push().await, expected);
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());
    assert_eq!(stage.push().await, "delivered", "the next push is not affected");
}

#[tokio::test]
async fn nt_a10_a_push_arrives_is_http2_with_its_headers() {
    let stage = stage().await;
    let result = stage.providers.push(&device(Platform::Apns, TOKEN), &push()).await;
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());

    let received = stage.fake.pushes().received().remove(0);
    let provider_id = received.header("apns-id").to_owned();
    assert_eq!(result, DeliveryResult::Delivered { provider_id });
    assert!(received.is_http2);
    assert_eq!(received.method, "POST");
    assert_eq!(received.path, format!("/3/device/{TOKEN}"));
    assert_eq!(received.header("apns-topic"), "org.example.demo");
    assert_eq!(received.header("apns-push-type"), "alert");
    assert_eq!(received.header("apns-priority"), "10");
    assert_eq!(received.header("apns-expiration"), "1751554800");
    assert_eq!(received.header("apns-collapse-id"), push().collapse_id);
    let expected = json!({
        "aps": {
            "alert": { "title": "alice liked your post", "body": "A walk in the hills" },
            "badge": 3, "sound": "default", "thread-id": "social", "category": "SOCIAL",
        },
        "deeplink": "asora://post/p1",
        "notificationId": push().notification_id,
        "data": { "actorId": "alice" },
    });
    assert_eq!(received.json(), expected);
}

#[tokio::test]
async fn pushes_share_one_connection() {
    let stage = stage().await;
    assert_eq!(stage.push().await, "delivered");
    let results = join_all((0..50).map(|_| stage.push())).await;
    assert_eq!(results, vec!["delivered"; 50]);
    assert_eq!(stage.fake.connections(), 1);
}

#[tokio::test]
async fn the_same_push_has_the_same_id_and_another_has_another() {
    let stage = stage().await;
    stage.push().await;
    stage.push().await;
    let mut other = push();
    other.title = "alice and 1 other liked your post".to_owned();
    sent(&stage.providers, &device(Platform::Apns, TOKEN), &other).await;
    let received = stage.fake.pushes().received();
    let ids: Vec<&str> = received.iter().map(|one| one.header("apns-id")).collect();
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], ids[2]);
}

#[tokio::test]
async fn offers_have_low_priority() {
    let stage = stage().await;
    let mut offer = push();
    offer.category = Category::Marketing;
    offer.badge = None;
    sent(&stage.providers, &device(Platform::Apns, TOKEN), &offer).await;
    let received = stage.fake.pushes().received().remove(0);
    assert_eq!(received.header("apns-priority"), "5");
    let aps = &received.json()["aps"];
    assert_eq!(aps.get("sound"), None);
    assert_eq!(aps.get("badge"), None);
    assert_eq!(aps["thread-id"], "marketing");
}

#[tokio::test]
async fn a_long_collapse_id_is_sent_as_its_hash() {
    let stage = stage().await;
    let mut long = push();
    long.collapse_id = "c".repeat(64);
    sent(&stage.providers, &device(Platform::Apns, TOKEN), &long).await;
    long.collapse_id = "c".repeat(65);
    sent(&stage.providers, &device(Platform::Apns, TOKEN), &long).await;
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());
    let received = stage.fake.pushes().received();
    assert_eq!(received[0].header("apns-collapse-id"), "c".repeat(64));
    let hash = received[1].header("apns-collapse-id");
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
}

#[tokio::test]
async fn a_token_cannot_change_the_path() {
    let stage = stage().await;
    let device = device(Platform::Apns, "../../3/other?x=1#y");
    sent(&stage.providers, &device, &push()).await;
    let path = stage.fake.pushes().received().remove(0).path;
    assert_eq!(path, "/3/device/%2E%2E%2F%2E%2E%2F3%2Fother%3Fx%3D1%23y");
}

#[tokio::test]
async fn a_provider_token_is_renewed_between_twenty_and_sixty_minutes() {
    let stage = stage().await;
    let distinct = || {
        let received = stage.fake.pushes().received();
        let mut tokens: Vec<String> =
            received.iter().map(|one| one.header("authorization").to_owned()).collect();
        tokens.dedup();
        tokens.len()
    };
    // Every minute for three hours: never too old, never renewed too soon, or the fake would say so.
    for _ in 0..180 {
        assert_eq!(stage.push().await, "delivered");
        stage.ground.travel_minutes(1);
    }
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());
    assert_eq!(distinct(), 5, "at 0, 40, 80, 120 and 160 minutes");
    stage.ground.travel_minutes(6 * 60);
    assert_eq!(stage.push().await, "delivered");
    assert_eq!(distinct(), 6);
}

#[tokio::test]
async fn an_expired_provider_token_is_renewed_once() {
    let stage = stage().await;
    assert_eq!(stage.push().await, "delivered");
    stage.ground.travel_minutes(25);
    stage.fake.pushes().next(ApnsRefusal::new(403, "ExpiredProviderToken"));
    assert_eq!(stage.push().await, "delivered");
    let received = stage.fake.pushes().received();
    assert_eq!(received.len(), 3);
    assert_ne!(received[1].header("authorization"), received[2].header("authorization"));
    assert_eq!(received[1].header("apns-id"), received[2].header("apns-id"));

    stage.ground.travel_minutes(25);
    stage.fake.pushes().next(ApnsRefusal::new(403, "ExpiredProviderToken"));
    stage.fake.pushes().next(ApnsRefusal::new(403, "ExpiredProviderToken"));
    let expected = "alarm: apns: a new provider token is expired too; check this machine's clock";
    assert_eq!(stage.push().await, expected);
    assert_eq!(stage.fake.pushes().received().len(), 5);
}

#[tokio::test]
async fn pushes_refused_together_share_one_new_provider_token() {
    let stage = stage().await;
    assert_eq!(stage.push().await, "delivered");
    stage.ground.travel_minutes(25);
    for _ in 0..10 {
        stage.fake.pushes().next(ApnsRefusal::new(403, "ExpiredProviderToken"));
    }
    let results = join_all((0..10).map(|_| stage.push())).await;
    assert_eq!(results, vec!["delivered"; 10]);
    assert_eq!(stage.fake.pushes().violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_token_that_apns_does_not_know_is_invalid() {
    check(ApnsRefusal::new(400, "BadDeviceToken"), "invalid token").await;
    check(ApnsRefusal::new(400, "DeviceTokenNotForTopic"), "invalid token").await;
    check(ApnsRefusal::new(410, "Unregistered"), "invalid token").await;
}

#[tokio::test]
async fn nt_a10_a_token_that_is_gone_is_revoked_unless_the_device_registered_since() {
    async fn check(reason: &'static str, registered_ms: u64, gone_ms: u64, expected: &str) {
        let stage = stage().await;
        let refusal = ApnsRefusal { status: 410, reason, timestamp_ms: Some(gone_ms) };
        stage.fake.pushes().next(refusal);
        let mut device = device(Platform::Apns, TOKEN);
        device.last_seen_at = UtcTimestamp::from_ms(registered_ms);
        assert_eq!(sent(&stage.providers, &device, &push()).await, expected);
    }
    for reason in ["Unregistered", "ExpiredToken"] {
        check(reason, NOW_MS - 2000, NOW_MS - 1000, "invalid token").await;
        check(reason, NOW_MS - 1000, NOW_MS - 1000, "invalid token").await;
        let stays = format!(
            "permanent: apns: {reason} (status 410), but the device has registered since; it stays"
        );
        check(reason, NOW_MS - 1000, NOW_MS - 2000, &stays).await;
    }
}

#[tokio::test]
async fn errors_of_the_push_are_permanent() {
    for (status, reason) in [
        (400, "BadCollapseId"),
        (400, "BadExpirationDate"),
        (400, "BadMessageId"),
        (400, "BadPriority"),
        (400, "DuplicateHeaders"),
        (400, "InvalidPushType"),
        (400, "MissingDeviceToken"),
        (400, "PayloadEmpty"),
        (404, "BadPath"),
        (405, "MethodNotAllowed"),
        (413, "PayloadTooLarge"),
    ] {
        let expected = format!("permanent: apns: {reason} (status {status})");
        check(ApnsRefusal::new(status, reason), &expected).await;
    }
}

#[tokio::test]
async fn wrong_settings_are_an_alarm() {
    for reason in [
        "BadCertificate",
        "BadCertificateEnvironment",
        "BadEnvironmentKeyIdInToken",
        "Forbidden",
        "InvalidProviderToken",
        "MissingProviderToken",
        "UnrelatedKeyIdInToken",
    ] {
        let expected = format!(
            "alarm: apns: {reason} (status 403); \
             check Apns:TeamId, Apns:KeyId, Apns:PrivateKey and Apns:Endpoint"
        );
        check(ApnsRefusal::new(403, reason), &expected).await;
    }
    for reason in ["MissingTopic", "BadTopic", "TopicDisallowed"] {
        let expected = format!(
            "alarm: apns: {reason} (status 400); \
             compare Apns:Topic with the app's bundle id and the key's rights"
        );
        check(ApnsRefusal::new(400, reason), &expected).await;
    }
}

#[tokio::test]
async fn failures_of_the_provider_are_tried_again() {
    for (status, reason) in [
        (400, "IdleTimeout"),
        (429, "TooManyRequests"),
        (500, "InternalServerError"),
        (503, "ServiceUnavailable"),
        (503, "Shutdown"),
    ] {
        let expected = format!("retry: apns: {reason} (status {status})");
        check(ApnsRefusal::new(status, reason), &expected).await;
    }
    let asked = ApnsRefusal::new(429, "TooManyRequests").response().header("retry-after", "45");
    check(asked, "retry after 45 s: apns: TooManyRequests (status 429)").await;
    let updates = ApnsRefusal::new(429, "TooManyProviderTokenUpdates");
    let expected = "retry after 1200 s: apns: TooManyProviderTokenUpdates (status 429)";
    check(updates, expected).await;
    check(FakeResponse::status(502), "retry: apns: status 502").await;
}

#[tokio::test]
async fn an_unknown_reason_is_interpreted_by_its_status_and_not_repeated() {
    check(ApnsRefusal::new(400, "SomethingNew"), "permanent: apns: status 400").await;
    check(ApnsRefusal::new(500, "SomethingNew"), "retry: apns: status 500").await;
}

#[tokio::test]
async fn a_key_of_another_team_is_an_alarm() {
    let stage = stage_with(|settings| settings.team_id = "OTHERTEAM1".to_owned()).await;
    let result = stage.push().await;
    assert!(result.starts_with("alarm: apns: InvalidProviderToken (status 403)"), "{result}");
    assert_eq!(stage.fake.pushes().violations(), ["another key or team"]);
}

#[tokio::test]
async fn a_timeout_is_tried_again_later() {
    let stage = stage_with(|settings| settings.timeout_seconds = 1).await;
    let gate = ResponseGate::default();
    stage.fake.pushes().next(ScriptedFault::Hold(gate.clone()));
    assert_eq!(stage.push().await, "retry: apns: no response in time");
    assert_eq!(stage.fake.pushes().received().len(), 1, "a late response is not a lost connection");
    gate.open();
    assert_eq!(stage.push().await, "delivered");
}

#[tokio::test]
async fn a_long_text_is_shortened_to_the_limit() {
    let stage = stage().await;
    let mut long = push();
    long.body = "\u{1F600}".repeat(5000);
    let device = device(Platform::Apns, TOKEN);
    assert_eq!(sent(&stage.providers, &device, &long).await, "delivered");
    let received = stage.fake.pushes().received().remove(0);
    assert!((4096 - 8..=4096).contains(&received.body.len()), "{} bytes", received.body.len());
    let body = received.json();
    assert!(body["aps"]["alert"]["body"].as_str().unwrap().ends_with("\u{1F600}…"));
    assert_eq!(body["deeplink"], "asora://post/p1");

    long.data.insert("more".to_owned(), "x".repeat(4096));
    let result = sent(&stage.providers, &device, &long).await;
    assert!(result.starts_with("permanent: apns: 4"), "{result}");
    assert_eq!(stage.fake.pushes().received().len(), 1);
}
