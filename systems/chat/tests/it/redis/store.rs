//! CH-060 to CH-071, CH-A15: every key and time to live in a real Redis, atomic scripts, and an outage.

use std::sync::Arc;
use std::time::Duration;

use chat::{
    Chat, ChatParts, EphemeralStore, ErrorKind, LimiterStore, MessageAddress, RedisEphemeral,
    ReminderQueue, UnreadReminder, UtcTimestamp,
};
use client::Environment;

use serde_json::json;

use crate::hub::{ServedHub, Transport};
use crate::redis::RedisServer;
use crate::world::{
    ALICE, BOB, Embedded, OverGateway, Texts, Way, World, message, room, settings, user,
};

/// A chat on the data of a world, with ephemeral state in Redis.
async fn chat_on(world: &World, redis: &RedisServer) -> (Chat, Texts) {
    let texts = Texts::default();
    let parts = ChatParts { sender: Some(Arc::new(texts.clone())), ..ChatParts::default() };
    let (account, environment) = (world.account.clone(), world.environment.clone());
    let settings = redis.settings(settings());
    (Chat::open(account, settings, environment, parts).await.unwrap(), texts)
}

fn store_of(redis: &RedisServer) -> RedisEphemeral {
    RedisEphemeral::open(&redis.settings(settings()).redis, Environment::system()).unwrap()
}

async fn check_ttl(redis: &RedisServer, key: &str, most: i64) {
    let seconds: i64 = redis.ask(&["TTL", key]).await;
    assert!((most - 60..=most).contains(&seconds), "{key}: {seconds} s of {most}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_key_has_the_name_and_the_time_to_live_of_the_seed() {
    let Some(redis) = RedisServer::start("every_key_has_the_name").await else { return };
    let world = World::new::<Embedded>().await;
    let (chat, texts) = chat_on(&world, &redis).await;
    chat.start_sign_in(&user(ALICE)).await.unwrap();
    let code = texts.code_of(ALICE).await;
    let otp = format!("otp:{ALICE}");
    let stored: String = redis.ask(&["GET", &otp]).await;
    assert!(stored.starts_with("otp1$argon2id$") && !stored.contains(&code), "{stored}");
    check_ttl(&redis, &otp, 300).await;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    chat.verify_sign_in(&user(ALICE), wrong).await.unwrap_err();
    let attempts = format!("otp_attempts:{ALICE}");
    assert_eq!(redis.ask::<u64>(&["GET", &attempts]).await, 1);
    check_ttl(&redis, &attempts, 300).await;
    chat.verify_sign_in(&user(ALICE), &code).await.unwrap();
    assert_eq!(redis.keys().await, Vec::<String>::new(), "a used code leaves nothing");

    let alice = chat.member(ALICE).await.unwrap();
    chat.send(&alice, message("general", "hello")).await.unwrap();
    let due: Vec<String> = redis.ask(&["ZRANGE", "unread:due", "0", "-1"]).await;
    assert!(due.len() == 1 && due[0].ends_with(" general"), "{due:?}");

    let store = store_of(&redis);
    store.put_presence(ALICE, "{}", "2025-11-21T12:00:00.000Z").await.unwrap();
    check_ttl(&redis, "presence:users", 600).await;
    check_ttl(&redis, &format!("heartbeat:{ALICE}"), 120).await;
    assert_eq!(store.presence().await.unwrap(), [(ALICE.to_owned(), "{}".to_owned())]);
    assert_eq!(store.heartbeats().await.unwrap(), [ALICE]);
    assert!(store.remove_presence(ALICE).await.unwrap());
    assert!(!store.remove_presence(ALICE).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_a_tenant_have_its_prefix() {
    let Some(redis) = RedisServer::start("keys_of_a_tenant").await else { return };
    let mut with_tenant = redis.settings(settings()).redis;
    with_tenant.tenant = "acme".to_owned();
    let store = RedisEphemeral::open(&with_tenant, Environment::system()).unwrap();
    store.put_code(ALICE, "x", Duration::from_secs(60)).await.unwrap();
    store.put_presence(ALICE, "{}", "now").await.unwrap();
    let keys = redis.keys().await;
    assert!(keys.iter().all(|key| key.starts_with("tenant:acme:")), "{keys:?}");
    assert_eq!(store.heartbeats().await.unwrap(), [ALICE]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_are_atomic() {
    let Some(redis) = RedisServer::start("scripts_are_atomic").await else { return };
    let store = Arc::new(store_of(&redis));
    let window = Duration::from_secs(60);
    let counts = (0..50).map(|_| store.count_attempt(ALICE, window));
    let mut counts: Vec<u64> =
        futures::future::join_all(counts).await.into_iter().map(Result::unwrap).collect();
    counts.sort_unstable();
    assert_eq!(counts, (1..=50).collect::<Vec<_>>());
    check_ttl(&redis, &format!("otp_attempts:{ALICE}"), 60).await;

    store.put_code(ALICE, "value", window).await.unwrap();
    let taken = futures::future::join_all((0..20).map(|_| store.take_code(ALICE, "value"))).await;
    assert_eq!(taken.into_iter().filter(|taken| *taken == Ok(true)).count(), 1);

    let permits =
        futures::future::join_all((0..30).map(|_| store.take_permit(BOB, 10, window))).await;
    assert_eq!(permits.into_iter().filter(|taken| *taken == Ok(true)).count(), 10);
    check_ttl(&redis, &format!("ratelimit:markread:{BOB}"), 60).await;

    let now = UtcTimestamp::from_ms(1_000_000);
    for number in 0..20 {
        let reminder = UnreadReminder { room: room("general"), message_id: number.to_string() };
        store.schedule(&reminder, now).await.unwrap();
    }
    let claims = (0..10).map(|_| store.claim_due(now, window, 100));
    let claimed: usize = futures::future::join_all(claims)
        .await
        .into_iter()
        .map(|claimed| claimed.unwrap().len())
        .sum();
    assert_eq!(claimed, 20, "each reminder once");
    assert_eq!(
        store.claim_due(now.after(window), window, 100).await.unwrap().len(),
        20,
        "due again"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limiter_moves_to_redis_by_its_setting() {
    let Some(redis) = RedisServer::start("the_limiter_moves_to_redis").await else { return };
    let world = World::new::<Embedded>().await;
    let mut settings = redis.settings(settings());
    settings.rate_limiting.mark_read.store = LimiterStore::Redis;
    settings.rate_limiting.mark_read.mark_read_permit_limit = 2;
    settings.rate_limiting.mark_read.mark_read_window_seconds = 600;
    let open = async || {
        let (account, environment) = (world.account.clone(), world.environment.clone());
        Chat::open(account, settings.clone(), environment, ChatParts::default()).await.unwrap()
    };
    let (one, other) = (open().await, open().await);
    let id = world.send(ALICE, "general", "hello").await.id;
    let address = MessageAddress { id, room: Some(room("general")) };
    let bob = one.member(BOB).await.unwrap();
    one.mark_read(&bob, &address).await.unwrap();
    other.mark_read(&bob, &address).await.unwrap();
    let refused = one.mark_read(&bob, &address).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Limited, "two processes share the window");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a15_an_outage_fails_closed_and_messages_go_on() {
    check_outage::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a15_an_outage_fails_closed_and_messages_go_on_over_the_gateway() {
    check_outage::<OverGateway>().await;
}

async fn check_outage<W: Way>() {
    let Some(mut redis) = RedisServer::start("ch_a15_an_outage_fails_closed").await else { return };
    let world = World::new::<W>().await;
    let (chat, texts) = chat_on(&world, &redis).await;
    chat.start_sign_in(&user(ALICE)).await.unwrap();
    let code = texts.code_of(ALICE).await;
    redis.stop();
    let refused = chat.verify_sign_in(&user(ALICE), &code).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "503 and not 401: {refused}");
    for name in [ALICE, "mallory@x"] {
        let refused = chat.start_sign_in(&user(name)).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable, "the same for every name");
    }
    let alice = chat.member(ALICE).await.unwrap();
    chat.send(&alice, message("general", "still here")).await.unwrap();
    redis.start_again().await;
    let during = chat.start_sign_in(&user(ALICE)).await.unwrap_err();
    assert!(during.to_string().contains("not asked for 10 s"), "{during}");
    world.travel(10);
    texts.clear();
    chat.start_sign_in(&user(ALICE)).await.unwrap();
    let code = texts.code_of(ALICE).await;
    chat.verify_sign_in(&user(ALICE), &code).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a15_connected_people_talk_on_and_readiness_names_redis() {
    check_connected::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a15_connected_people_talk_on_and_readiness_names_redis_over_the_gateway() {
    check_connected::<OverGateway>().await;
}

async fn check_connected<W: Way>() {
    let Some(mut redis) = RedisServer::start("ch_a15_connected_people").await else { return };
    let world = World::with_hub::<W>(settings()).await;
    let (chat, _) = chat_on(&world, &redis).await;
    let served = ServedHub::start(&chat, &world.environment).await;
    let mut alice = served.connect(ALICE, Transport::WebSockets).await;
    let mut bob = served.connect(BOB, Transport::WebSockets).await;
    assert_eq!(served.get(ALICE, "/healthz/ready").await.0, 200);
    redis.stop();
    alice.invoke("SendMessage", json!(["without Redis", "c1"])).await;
    assert_eq!(bob.event("newMessage").await["content"], "without Redis");
    let (status, body) = served.get(ALICE, "/healthz/ready").await;
    assert!(status == 503 && body.to_string().contains("redis"), "{status} {body}");
    redis.start_again().await;
    world.travel(10);
    assert_eq!(served.get(ALICE, "/healthz/ready").await.0, 200);
    alice.invoke("SendMessage", json!(["with Redis", "c2"])).await;
    assert_eq!(bob.event("newMessage").await["content"], "with Redis");
}
