//! FCM: access tokens, the message, and each class of response.

use std::sync::Arc;

use client::Clock;
use futures::future::join_all;
use notifications::delivery::fake::{
    FakeFcm, FakeResponse, FcmRefusal, ResponseGate, ScriptedFault,
};
use notifications::delivery::{Delivery, DeliveryResult, FcmSettings, ProviderSettings, Providers};
use notifications::{Category, Platform};
use serde_json::json;

use super::ground::{Ground, TOKEN, device, push, sent};

struct Stage {
    ground: Ground,
    fake: FakeFcm,
    providers: Providers,
}

async fn stage() -> Stage {
    stage_with(|_| {}).await
}

async fn stage_with(change: impl FnOnce(&mut FcmSettings)) -> Stage {
    let ground = Ground::new();
    let fake = FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap();
    let mut settings = fake.settings();
    change(&mut settings);
    let settings = ProviderSettings { fcm: settings, ..ProviderSettings::default() };
    let providers = ground.providers(&settings);
    Stage { ground, fake, providers }
}

impl Stage {
    async fn push(&self) -> String {
        sent(&self.providers, &device(Platform::Fcm, TOKEN), &push()).await
    }
}

async fn check(fault: impl Into<ScriptedFault>, expected: &str) {
    let stage = stage().await;
    stage.fake.messages().next(fault);
    assert_eq!(stage.push().await, expected);
    assert_eq!(stage.fake.messages().violations(), Vec::<String>::new());
    assert_eq!(stage.push().await, "delivered", "the next push is not affected");
}

#[tokio::test]
async fn a_push_arrives_in_the_form_of_http_v1() {
    let stage = stage().await;
    let result = stage.providers.push(&device(Platform::Fcm, TOKEN), &push()).await;
    let provider_id = "projects/demo-project/messages/1".to_owned();
    assert_eq!(result, DeliveryResult::Delivered { provider_id });
    assert_eq!(stage.fake.messages().violations(), Vec::<String>::new());
    assert_eq!(stage.fake.tokens().violations(), Vec::<String>::new());

    let received = stage.fake.messages().received().remove(0);
    assert_eq!(received.path, "/v1/projects/demo-project/messages:send");
    assert_eq!(received.header("content-type"), "application/json");
    assert_eq!(received.header("authorization"), "Bearer access-1");
    let id = &push().notification_id;
    let expected = json!({ "message": {
        "token": TOKEN,
        "notification": { "title": "alice liked your post", "body": "A walk in the hills" },
        "data": {
            "notificationId": id, "category": "SOCIAL", "deeplink": "asora://post/p1", "actorId": "alice",
        },
        "android": {
            "priority": "HIGH", "ttl": "86400s", "collapse_key": id,
            "notification": { "channel_id": "social", "tag": id },
        },
        "apns": {
            "headers": {
                "apns-priority": "10", "apns-expiration": "1751554800", "apns-collapse-id": id,
            },
            "payload": { "aps": {
                "badge": 3, "sound": "default", "thread-id": "social", "category": "SOCIAL",
            } },
        },
    } });
    assert_eq!(received.json(), expected);
}

#[tokio::test]
async fn offers_do_not_wake_a_device() {
    let stage = stage().await;
    let mut offer = push();
    offer.category = Category::Marketing;
    offer.badge = None;
    let device = device(Platform::Fcm, TOKEN);
    assert_eq!(sent(&stage.providers, &device, &offer).await, "delivered");
    let body = stage.fake.messages().received().remove(0).json();
    assert_eq!(body.pointer("/message/android/priority").unwrap(), "NORMAL");
    assert_eq!(body.pointer("/message/apns/headers/apns-priority").unwrap(), "5");
    let aps = body.pointer("/message/apns/payload/aps").unwrap();
    assert_eq!(aps, &json!({ "thread-id": "marketing", "category": "MARKETING" }));
}

#[tokio::test]
async fn names_that_fcm_reserves_get_a_prefix() {
    let stage = stage().await;
    let mut push = push();
    for name in ["from", "google.x", "gcm.y", "message_type", "deeplink"] {
        push.data.insert(name.to_owned(), "value".to_owned());
    }
    let device = device(Platform::Fcm, TOKEN);
    assert_eq!(sent(&stage.providers, &device, &push).await, "delivered");
    let data = stage.fake.messages().received().remove(0).json()["message"]["data"].clone();
    let mut names: Vec<&String> = data.as_object().unwrap().keys().collect();
    names.sort();
    let expected = [
        "actorId",
        "app_from",
        "app_gcm.y",
        "app_google.x",
        "app_message_type",
        "category",
        "deeplink",
        "notificationId",
    ];
    assert_eq!(names, expected);
    assert_eq!(data["deeplink"], "asora://post/p1", "our own values win");
}

#[tokio::test]
async fn an_access_token_is_cached_and_renewed_five_minutes_before_it_expires() {
    let stage = stage().await;
    let exchanges = || stage.fake.tokens().received().len();
    assert_eq!(stage.push().await, "delivered");
    assert_eq!(stage.push().await, "delivered");
    assert_eq!(exchanges(), 1);
    // The token lives for 3,599 s; with 54 minutes gone, 5 minutes and 59 seconds are left.
    stage.ground.travel_minutes(54);
    assert_eq!(stage.push().await, "delivered");
    assert_eq!(exchanges(), 1);
    stage.ground.travel_minutes(1);
    assert_eq!(stage.push().await, "delivered");
    assert_eq!(exchanges(), 2);
    assert_eq!(stage.fake.messages().violations(), Vec::<String>::new());
    assert_eq!(stage.fake.tokens().violations(), Vec::<String>::new());
}

#[tokio::test]
async fn pushes_at_the_same_time_share_one_exchange() {
    let stage = stage().await;
    let gate = ResponseGate::default();
    stage.fake.tokens().next(ScriptedFault::Hold(gate.clone()));
    let pushes = join_all((0..20).map(|_| stage.push()));
    let release = async {
        stage.fake.tokens().until_received(1).await;
        gate.open();
    };
    let (results, ()) = tokio::join!(pushes, release);
    assert_eq!(results, vec!["delivered"; 20]);
    assert_eq!(stage.fake.tokens().received().len(), 1);
}

#[tokio::test]
async fn while_an_early_renewal_fails_the_old_access_token_is_used() {
    let stage = stage().await;
    assert_eq!(stage.push().await, "delivered");
    stage.ground.travel_minutes(57);
    stage.fake.tokens().next(FakeResponse::status(503));
    assert_eq!(stage.push().await, "delivered");
    stage.ground.travel_minutes(3);
    stage.fake.tokens().next(FakeResponse::status(503).header("retry-after", "7"));
    let expected = "retry after 7 s: fcm token endpoint: status 503";
    assert_eq!(stage.push().await, expected, "at its end it does not");
    assert_eq!(stage.push().await, "delivered");
}

#[tokio::test]
async fn a_refused_access_token_is_renewed_once() {
    let stage = stage().await;
    assert_eq!(stage.push().await, "delivered");
    stage.fake.messages().next(FcmRefusal::Unauthenticated);
    assert_eq!(stage.push().await, "delivered");
    assert_eq!(stage.fake.tokens().received().len(), 2);
    stage.fake.messages().next(FcmRefusal::Unauthenticated);
    stage.fake.messages().next(FcmRefusal::Unauthenticated);
    let expected = "alarm: fcm: a new access token is refused too; check the service account";
    assert_eq!(stage.push().await, expected);
    assert_eq!(stage.fake.tokens().received().len(), 3);
}

#[tokio::test]
async fn pushes_refused_together_share_one_new_access_token() {
    let stage = stage().await;
    assert_eq!(stage.push().await, "delivered");
    for _ in 0..10 {
        stage.fake.messages().next(FcmRefusal::Unauthenticated);
    }
    // All ten are refused before the first of them has a new token.
    let gate = ResponseGate::default();
    stage.fake.tokens().next(ScriptedFault::Hold(gate.clone()));
    let release = async {
        stage.fake.messages().until_received(11).await;
        gate.open();
    };
    let (results, ()) = tokio::join!(join_all((0..10).map(|_| stage.push())), release);
    assert_eq!(results, vec!["delivered"; 10]);
    assert_eq!(stage.fake.tokens().received().len(), 2);
}

#[tokio::test]
async fn failures_of_the_token_endpoint_are_distinguished() {
    async fn check(fault: impl Into<ScriptedFault>, expected: &str) {
        let stage = stage().await;
        stage.fake.tokens().next(fault);
        assert_eq!(stage.push().await, expected);
        assert_eq!(stage.fake.messages().received().len(), 0, "nothing is sent without a token");
        assert_eq!(stage.push().await, "delivered");
    }
    let advice = "check Fcm:ClientEmail, Fcm:PrivateKey and this machine's clock";
    let grant = json!({ "error": "invalid_grant" });
    let refused = format!("alarm: fcm token endpoint: status 400; {advice}");
    check(FakeResponse::json(400, &grant), &refused).await;
    let refused = format!("alarm: fcm token endpoint: status 401; {advice}");
    check(FakeResponse::status(401), &refused).await;
    check(FakeResponse::status(500), "retry: fcm token endpoint: status 500").await;
    let busy = FakeResponse::status(429).header("retry-after", "30");
    check(busy, "retry after 30 s: fcm token endpoint: status 429").await;
    let nothing = "retry: fcm token endpoint: a response without an access token";
    check(FakeResponse::json(200, &json!({})), nothing).await;
    let ended = "retry: fcm token endpoint: the connection was closed before the response";
    check(ScriptedFault::DropConnection, ended).await;
}

#[tokio::test]
async fn a_wrong_clock_is_an_alarm() {
    let ground = Ground::new();
    let fake = FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap();
    let slow = client::TravellingClock::starting_at(client::TimestampMs(0)) as Arc<dyn Clock>;
    let settings = ProviderSettings { fcm: fake.settings(), ..ProviderSettings::default() };
    let providers = Providers::open(&settings, &slow).unwrap();
    let result = sent(&providers, &device(Platform::Fcm, TOKEN), &push()).await;
    assert!(result.starts_with("alarm: fcm token endpoint: status 400"), "{result}");
    assert_eq!(fake.tokens().violations(), ["iat and exp do not enclose now"]);
}

#[tokio::test]
async fn an_unregistered_token_is_invalid() {
    check(FcmRefusal::Unregistered, "invalid token").await;
    check(FcmRefusal::InvalidToken, "invalid token").await;
}

#[tokio::test]
async fn a_token_of_another_sender_is_invalid() {
    check(FcmRefusal::SenderIdMismatch, "invalid token").await;
}

#[tokio::test]
async fn an_invalid_argument_revokes_only_if_it_is_the_token() {
    let expected = "permanent: fcm: INVALID_ARGUMENT (status 400)";
    check(FcmRefusal::InvalidArgument, expected).await;
    let only_code = |message: &str| {
        let details = json!([{ "errorCode": "INVALID_ARGUMENT" }]);
        FakeResponse::json(400, &json!({ "error": { "message": message, "details": details } }))
    };
    let sentence = "The registration token is not a valid FCM registration token";
    check(only_code(sentence), "invalid token").await;
    check(only_code("Invalid value at 'message.data'"), expected).await;
    // A sentence about the token does not count where a field is named.
    let mut reply = FcmRefusal::InvalidArgument.response();
    reply.body =
        reply.body.replace("\"INVALID_ARGUMENT\",\"status\"", "\"registration token\",\"status\"");
    assert!(reply.body.contains("registration token"));
    check(reply, expected).await;
}

#[tokio::test]
async fn after_an_exceeded_quota_the_wait_is_at_least_a_minute() {
    let said = "fcm: QUOTA_EXCEEDED (status 429)";
    check(FcmRefusal::QuotaExceeded(None), &format!("retry after 60 s: {said}")).await;
    check(FcmRefusal::QuotaExceeded(Some(10)), &format!("retry after 60 s: {said}")).await;
    check(FcmRefusal::QuotaExceeded(Some(300)), &format!("retry after 300 s: {said}")).await;
}

#[tokio::test]
async fn failures_of_the_provider_are_tried_again() {
    check(FcmRefusal::Internal, "retry: fcm: INTERNAL (status 500)").await;
    check(FcmRefusal::Unavailable(None), "retry: fcm: UNAVAILABLE (status 503)").await;
    let asked = "retry after 90 s: fcm: UNAVAILABLE (status 503)";
    check(FcmRefusal::Unavailable(Some(90)), asked).await;
    // Two minutes after the test's time, as a date.
    let dated = FakeResponse::status(503).header("retry-after", "Wed, 02 Jul 2025 15:02:00 GMT");
    check(dated, "retry after 120 s: fcm: status 503").await;
    let past = FakeResponse::status(503).header("retry-after", "Wed, 02 Jul 2025 14:02:00 GMT");
    check(past, "retry after 0 s: fcm: status 503").await;
    check(FakeResponse::status(502).header("retry-after", "soon"), "retry: fcm: status 502").await;
    let ages = FakeResponse::status(503).header("retry-after", "99999999");
    check(ages, "retry after 86400 s: fcm: status 503").await;
    check(
        ScriptedFault::DropConnection,
        "retry: fcm: the connection was closed before the response",
    )
    .await;
}

#[tokio::test]
async fn wrong_settings_are_an_alarm() {
    let expected = "alarm: fcm: THIRD_PARTY_AUTH_ERROR (status 401); \
                    renew the APNs or web push credentials in the project";
    check(FcmRefusal::ThirdPartyAuth, expected).await;
    let advice =
        "check Fcm:ProjectId, that the messaging API is enabled and that the account may send";
    let denied = format!("alarm: fcm: status 403; {advice}");
    check(FcmRefusal::PermissionDenied, &denied).await;
    // A 404 without the code of FCM is a wrong project, not a dead token: no device is lost by it.
    check(FakeResponse::status(404), &format!("alarm: fcm: status 404; {advice}")).await;
}

#[tokio::test]
async fn a_timeout_is_tried_again() {
    let stage = stage_with(|settings| settings.timeout_seconds = 1).await;
    assert_eq!(stage.push().await, "delivered");
    let gate = ResponseGate::default();
    stage.fake.messages().next(ScriptedFault::Hold(gate.clone()));
    assert_eq!(stage.push().await, "retry: fcm: no response in time");
    gate.open();
}

#[tokio::test]
async fn a_refused_connection_is_tried_again() {
    let stage = stage().await;
    let providers = stage.providers;
    drop(stage.fake);
    // The listener goes when its task is next scheduled.
    tokio::task::yield_now().await;
    let result = sent(&providers, &device(Platform::Fcm, TOKEN), &push()).await;
    assert!(result.starts_with("retry: fcm token endpoint: "), "{result}");
}

#[tokio::test]
async fn a_long_text_is_shortened_and_nothing_else() {
    let stage = stage().await;
    let long_token = "t".repeat(4000);
    let mut long = push();
    long.body = "\u{1F600} \"quoted\" \u{1F600}".repeat(2000);
    let device = device(Platform::Fcm, &long_token);
    assert_eq!(sent(&stage.providers, &device, &long).await, "delivered");
    assert_eq!(stage.fake.messages().violations(), Vec::<String>::new());
    let mut message = stage.fake.messages().received().remove(0).json()["message"].clone();
    assert_eq!(message["token"], long_token.as_str());
    assert_eq!(message["data"]["deeplink"], "asora://post/p1");
    assert_eq!(message["notification"]["title"], "alice liked your post");
    assert!(message["notification"]["body"].as_str().unwrap().ends_with('…'));
    message.as_object_mut().unwrap().remove("token");
    let bytes = message.to_string().len();
    assert!((4096 - 16..=4096).contains(&bytes), "{bytes} bytes use what there is");
}

#[tokio::test]
async fn a_message_that_cannot_be_shortened_is_not_sent() {
    let stage = stage().await;
    let mut long = push();
    long.deeplink = format!("asora://post/{}", "p".repeat(4000));
    let device = device(Platform::Fcm, TOKEN);
    let result = sent(&stage.providers, &device, &long).await;
    assert!(result.starts_with("permanent: fcm: 4"), "{result}");
    assert!(result.ends_with("bytes without any text are more than allowed"), "{result}");
    assert_eq!(stage.fake.messages().received().len(), 0);
}

#[tokio::test]
async fn pushes_are_counted_by_collapse_id() {
    let stage = stage().await;
    for _ in 0..3 {
        stage.push().await;
    }
    let counts = stage.fake.messages().accepted_by_collapse_id();
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(push().collapse_id, 3)]);
}

#[tokio::test]
async fn one_device_can_fail_while_others_do_not() {
    let stage = stage().await;
    stage.fake.messages().for_target("dead", FcmRefusal::Unregistered);
    let send = |token| {
        let device = device(Platform::Fcm, token);
        let providers = &stage.providers;
        async move { sent(providers, &device, &push()).await }
    };
    assert_eq!(send("dead").await, "invalid token");
    assert_eq!(send("alive").await, "delivered");
    assert_eq!(send("dead").await, "invalid token");
    stage.fake.messages().clear();
    stage.fake.messages().always(FcmRefusal::Internal);
    assert_eq!(send("alive").await, "retry: fcm: INTERNAL (status 500)");
    assert_eq!(send("alive").await, "retry: fcm: INTERNAL (status 500)");
}
