//! Floods of messages, receipts and calls: whoever makes them is limited, and the others go on.

use serde_json::json;

use crate::hub::{Stage, Transport};
use crate::world::{ALICE, BOB, CHARLIE, Embedded, room, settings_with_features};

const CALLS: usize = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_messages_over_one_connection_is_cut_and_others_talk_on() {
    let stage = Stage::new::<Embedded>(settings_with_features()).await;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    let mut bob = stage.connect(BOB, Transport::WebSockets).await;
    let mut charlie = stage.connect(CHARLIE, Transport::WebSockets).await;
    for number in 0..CALLS {
        let method = if number % 2 == 0 { "SendMessage" } else { "Typing" };
        let arguments = match method {
            "SendMessage" => json!([format!("flood {number}"), null]),
            _ => json!([true]),
        };
        alice.send(method, &arguments);
        // In the middle of the flood, not after it.
        if number == CALLS / 2 {
            bob.invoke("SendMessage", json!(["between", "c1"])).await;
        }
    }
    loop {
        let seen = charlie.event("newMessage").await;
        if seen["content"] == "between" {
            break;
        }
    }
    // The answer comes after those of all calls before it.
    alice.invoke("GetHealthStatus", json!([])).await;
    assert!(alice.has_event("onError"), "the flood was limited");
    let stored = stage.world.chat.messages().recent_by_room(&room("general"), 100).await.unwrap();
    let of_alice = stored.value.iter().filter(|message| message.from_user == ALICE).count();
    assert!(of_alice <= 60, "{of_alice} messages of one user in ten seconds");
    bob.invoke("SendMessage", json!(["after", "c2"])).await;
    assert!(!bob.has_event("onError"), "the limit of alice is not that of bob");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_nothing_does_not_delay_others() {
    let mut settings = settings_with_features();
    settings.rate_limiting.messages.permit_limit = 10_000;
    let stage = Stage::new::<Embedded>(settings).await;
    // Connected, and never read from again.
    let mute = stage.connect(CHARLIE, Transport::WebSockets).await;
    mute.stop_reading();
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    let mut bob = stage.connect(BOB, Transport::WebSockets).await;
    for number in 0..200 {
        let text = format!("{number} {}", "x".repeat(900));
        alice.invoke("SendMessage", json!([text, null])).await;
    }
    for number in 0..200 {
        let seen = bob.event("newMessage").await;
        let text = seen["content"].as_str().unwrap_or_default().to_owned();
        assert!(text.starts_with(&format!("{number} ")), "{text}");
    }
}
