//! CH-A6, CH-A7, CH-A8, CH-A12, CH-A16: what two people in a room see.

use std::time::Duration;

use chat::ChatSettings;
use client::Fault;
use serde_json::{Value, json};

use super::client::Transport;
use super::stage::Stage;
use crate::world::{
    ALICE, BOB, CHARLIE, Embedded, OverGateway, Way, room, settings, settings_with_features,
};

/// CH-A6 and CH-A7: alice sends, both get it, bob reads, alice hears of it.
async fn check_conversation<W: Way>(transport: Transport) {
    let stage = Stage::new::<W>(settings()).await;
    let mut alice = stage.connect(ALICE, transport).await;
    let mut bob = stage.connect(BOB, transport).await;
    let sent = alice.invoke("SendMessage", json!(["hello", "c1"])).await;
    assert!(sent.get("error").is_none(), "{sent}");
    let seen = bob.event("newMessage").await;
    assert_eq!((&seen["content"], &seen["correlationId"]), (&json!("hello"), &json!("c1")));
    assert_eq!((&seen["fromUserName"], &seen["room"]), (&json!(ALICE), &json!("general")));
    assert_eq!(alice.event("newMessage").await, seen);
    let (_, history) = stage.served.get(BOB, "/api/messages/room/general").await;
    assert_eq!(history, json!([seen]));
    bob.invoke("MarkRead", json!([seen["id"]])).await;
    let read = alice.event("messageRead").await;
    assert_eq!(read, json!({ "id": seen["id"], "readers": [BOB] }));
    let id = seen["id"].as_str().unwrap();
    let stored = stage.world.chat.messages().get(&room("general"), id).await.unwrap().value;
    assert_eq!(stored.unwrap().read_by, [BOB]);
}

macro_rules! conversations {
    ($($name:ident: $way:ty, $transport:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                check_conversation::<$way>(Transport::$transport).await;
            }
        )*
    };
}

conversations! {
    ch_a6_two_people_talk_over_web_sockets: Embedded, WebSockets,
    ch_a6_two_people_talk_over_web_sockets_and_the_gateway: OverGateway, WebSockets,
    ch_a7_two_people_talk_over_server_sent_events: Embedded, ServerSentEvents,
    ch_a7_two_people_talk_over_server_sent_events_and_the_gateway: OverGateway, ServerSentEvents,
    ch_a7_two_people_talk_over_long_polling: Embedded, LongPolling,
    ch_a7_two_people_talk_over_long_polling_and_the_gateway: OverGateway, LongPolling,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a8_joining_a_room_of_others_is_an_error_event() {
    check_joining_of_others::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a8_joining_a_room_of_others_is_an_error_event_over_the_gateway() {
    check_joining_of_others::<OverGateway>().await;
}

async fn check_joining_of_others<W: Way>() {
    let stage = Stage::new::<W>(settings_with_features()).await;
    let secret = stage.world.send(ALICE, "ops", "secret").await.id;
    let mut charlie = stage.connect(CHARLIE, Transport::WebSockets).await;
    charlie.invoke("Join", json!(["ops"])).await;
    let error = charlie.event("onError").await;
    assert_eq!(error, "you are no member of the room 'ops'");
    // It is still in its room, so what it does concerns that one.
    for (method, arguments) in [
        ("MarkRead", json!([secret])),
        ("EditMessage", json!([secret, "changed"])),
        ("DeleteMessage", json!([secret])),
        ("GetUsers", json!(["ops"])),
        ("Join", json!(["no/name"])),
    ] {
        let done = charlie.invoke(method, arguments).await;
        assert!(done["result"].is_null() || done["result"] == json!([]), "{method}: {done}");
        charlie.event("onError").await;
    }
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    alice.invoke("Join", json!(["ops"])).await;
    alice.invoke("SendMessage", json!(["internal", null])).await;
    alice.event("newMessage").await;
    charlie.invoke("SendMessage", json!(["hello", null])).await;
    assert_eq!(charlie.event("newMessage").await["room"], "general");
    assert!(!charlie.has_event("newMessage"), "nothing of the other room");
    let stored =
        stage.world.chat.messages().get(&room("ops"), &secret).await.unwrap().value.unwrap();
    assert!(stored.content == "secret" && stored.read_by.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a9_a_message_that_is_too_long_is_an_error_event() {
    let stage = Stage::new::<Embedded>(settings()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    alice.invoke("SendMessage", json!(["a".repeat(1_001), "c1"])).await;
    let error = alice.event("onError").await;
    assert_eq!(error, "the message has 1001 characters; at most 1000 are allowed");
    alice.invoke("SendMessage", json!(["😀".repeat(1_000), "c2"])).await;
    alice.event("newMessage").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a12_the_limit_of_receipts_is_an_error_event() {
    let mut limited: ChatSettings = settings();
    limited.rate_limiting.mark_read.mark_read_permit_limit = 3;
    let stage = Stage::new::<Embedded>(limited).await;
    let id = stage.world.send(ALICE, "general", "hello").await.id;
    let mut bob = stage.connect(BOB, Transport::WebSockets).await;
    for _ in 0..3 {
        bob.invoke("MarkRead", json!([id])).await;
        assert!(!bob.has_event("onError"));
    }
    bob.invoke("MarkRead", json!([id])).await;
    let error = bob.event("onError").await;
    assert!(error.as_str().unwrap().starts_with("more than 3 read receipts in 10 s"), "{error}");
    stage.world.travel(10);
    bob.invoke("MarkRead", json!([id])).await;
    assert!(!bob.has_event("onError"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a16_endless_throttling_is_an_error_event() {
    let stage = Stage::new::<Embedded>(settings()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    for _ in 0..3 {
        let fault = Fault::Throttled { delay: Duration::from_millis(1) };
        stage.world.faults.next_of("create", fault);
    }
    alice.invoke("SendMessage", json!(["never", "c1"])).await;
    let error = alice.event("onError").await;
    assert_eq!(error, "The message could not be taken now. Try again.");
    alice.invoke("SendMessage", json!(["never", "c1"])).await;
    assert_eq!(alice.event("newMessage").await["correlationId"], "c1");
    let stored = stage.world.chat.messages().recent_by_room(&room("general"), 20).await.unwrap();
    assert_eq!(stored.value.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a17_a_resend_is_echoed_to_its_sender_alone() {
    let stage = Stage::new::<Embedded>(settings()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    let mut bob = stage.connect(BOB, Transport::WebSockets).await;
    alice.invoke("SendMessage", json!(["hello", "c1"])).await;
    let first = alice.event("newMessage").await;
    assert_eq!(bob.event("newMessage").await, first);
    alice.invoke("SendMessage", json!(["hello", "c1"])).await;
    assert_eq!(alice.event("newMessage").await, first);
    alice.invoke("SendMessage", json!(["bye", "c2"])).await;
    assert_eq!(
        bob.event("newMessage").await["content"],
        "bye",
        "the resend did not come in between"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edits_deletions_replies_and_typing_come_over_the_hub() {
    let stage = Stage::new::<Embedded>(settings_with_features()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    let mut bob = stage.connect(BOB, Transport::WebSockets).await;
    alice.invoke("Typing", json!([true])).await;
    let typing = bob.event("typing").await;
    assert_eq!(typing, json!({ "userName": ALICE, "room": "general", "isTyping": true }));
    alice.invoke("SendMessage", json!(["helo", "c1"])).await;
    let id = bob.event("newMessage").await["id"].clone();
    bob.invoke("Reply", json!(["what?", "c2", id])).await;
    alice.event("newMessage").await;
    assert_eq!(alice.event("newMessage").await["replyTo"], id);
    alice.invoke("EditMessage", json!([id, "hello"])).await;
    assert_eq!(bob.event("messageChanged").await["content"], "hello");
    alice.invoke("DeleteMessage", json!([id])).await;
    assert_eq!(bob.event("messageDeleted").await["id"], id);
    let health = alice.invoke("GetHealthStatus", json!([])).await["result"].clone();
    assert_eq!(health["isHealthy"], Value::Bool(true));
}
