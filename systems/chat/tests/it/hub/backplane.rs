//! CH-A15 and several processes behind one Redis: the hub with a real Redis, stopped and started.

use std::sync::Arc;

use chat::{Chat, ChatParts, ChatSettings};
use serde_json::json;

use super::client::Transport;
use super::stage::ServedHub;
use crate::redis::RedisServer;
use crate::world::{ALICE, BOB, Embedded, Texts, World, settings};

async fn process(world: &World, settings: &ChatSettings) -> (Chat, ServedHub) {
    let parts = ChatParts { sender: Some(Arc::new(Texts::default())), ..ChatParts::default() };
    let (account, environment) = (world.account.clone(), world.environment.clone());
    let chat = Chat::open(account, settings.clone(), environment, parts).await.unwrap();
    let served = ServedHub::start(&chat, &world.environment).await;
    (chat, served)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_deliver_to_each_other_and_one_goes_on_alone() {
    let Some(redis) = RedisServer::start("two_instances_deliver_to_each_other").await else {
        return;
    };
    let world = World::with_hub::<Embedded>(settings()).await;
    let settings = redis.settings(settings());
    let (_, one) = process(&world, &settings).await;
    let (_, other) = process(&world, &settings).await;
    let mut alice = one.connect(ALICE, Transport::WebSockets).await;
    let mut bob = other.connect(BOB, Transport::WebSockets).await;
    // The channel is opened in the background; what is sent before it is not repeated.
    for number in 0.. {
        alice.invoke("SendMessage", json!([format!("hello {number}"), null])).await;
        alice.event("newMessage").await;
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        if bob.has_event("newMessage") {
            break;
        }
        assert!(number < 50, "nothing reaches the other process");
    }
    let seen = bob.event("newMessage").await;
    bob.invoke("MarkRead", json!([seen["id"]])).await;
    assert_eq!(alice.event("messageRead").await["readers"], json!([BOB]));
    assert!(other.hub.shut_down().await);
    bob.ended().await;
    alice.invoke("SendMessage", json!(["alone", null])).await;
    assert_eq!(alice.event("newMessage").await["content"], "alone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a15_connected_people_talk_on_while_redis_is_down() {
    let Some(mut redis) = RedisServer::start("ch_a15_connected_people_talk_on").await else {
        return;
    };
    let world = World::with_hub::<Embedded>(settings()).await;
    let (_, served) = process(&world, &redis.settings(settings())).await;
    let mut alice = served.connect(ALICE, Transport::WebSockets).await;
    let mut bob = served.connect(BOB, Transport::WebSockets).await;
    redis.stop();
    let (status, ready) = served.get(ALICE, "/healthz/ready").await;
    assert_eq!(status, 503);
    let why = ready["checks"]["redis"].as_str().unwrap();
    assert!(why.contains("Redis at 127.0.0.1"), "{why}");
    assert_eq!(ready["checks"]["cosmos"], "ready");
    assert_eq!(served.get(ALICE, "/readyz").await.0, 503);
    alice.invoke("SendMessage", json!(["still here", "c1"])).await;
    assert_eq!(bob.event("newMessage").await["content"], "still here");
    assert_eq!(alice.invoke("Heartbeat", json!([])).await["result"]["health"], "degraded");
    redis.start_again().await;
    world.travel(10);
    assert_eq!(served.get(ALICE, "/healthz/ready").await.0, 200);
    assert_eq!(alice.invoke("Heartbeat", json!([])).await["result"]["health"], "healthy");
}
