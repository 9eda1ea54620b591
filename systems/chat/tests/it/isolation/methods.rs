//! Every method of the hub, called by somebody who names a room or a message of others, and by somebody who may do
//! nothing any more.

use chat::UserChange;
use serde_json::{Value, json};

use crate::hub::{Stage, Transport};
use crate::world::{ALICE, CHARLIE, Embedded, OverGateway, Way, room, settings_with_features};

const SECRET: &str = "secret-of-ops";

/// What a method does for charlie, who is in `general` and names something of `ops`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MethodDoes {
    /// It names something of others, and is refused with an event.
    Refuses,
    /// It concerns the room of the caller, whatever it is given.
    Own,
}

/// Every method with arguments that name the room or the message of others.
fn cases(id: &str) -> Vec<(&'static str, Value, MethodDoes)> {
    use MethodDoes::{Own, Refuses};
    vec![
        ("deletemessage", json!([id]), Refuses),
        ("editmessage", json!([id, "changed"]), Refuses),
        ("gethealthstatus", json!([]), Own),
        ("getusers", json!(["ops"]), Refuses),
        ("heartbeat", json!([]), Own),
        ("join", json!(["ops"]), Refuses),
        ("leave", json!(["ops"]), Own),
        ("markread", json!([id]), Refuses),
        ("reply", json!(["answer", "c9", id]), Refuses),
        ("sendmessage", json!(["into general", "c8"]), Own),
        ("typing", json!([true]), Own),
    ]
}

async fn check_foreign_methods<W: Way>() {
    let stage = Stage::new::<W>(settings_with_features()).await;
    let id = stage.world.send(ALICE, "ops", SECRET).await.id;
    let mut alice = stage.connect(ALICE, Transport::WebSockets).await;
    alice.invoke("Join", json!(["ops"])).await;
    // Of the two rooms of alice, only what is in the second is looked at from here.
    alice.event("presenceSnapshot").await;
    let mut charlie = stage.connect(CHARLIE, Transport::WebSockets).await;
    let cases = cases(&id);
    let known: Vec<&str> = cases.iter().map(|(name, ..)| *name).collect();
    assert_eq!(stage.served.hub.method_names(), known, "the cases are the methods of the hub");
    for (name, arguments, does) in cases {
        let done = charlie.invoke(name, arguments).await;
        assert!(!done.to_string().contains(SECRET), "{name}: {done}");
        match does {
            MethodDoes::Refuses => {
                assert!(done["result"].is_null() || done["result"] == json!([]), "{name}: {done}");
                charlie.event("onError").await;
            }
            MethodDoes::Own => assert!(!charlie.has_event("onError"), "{name}"),
        }
    }
    alice.invoke("Heartbeat", json!([])).await;
    for event in ["newMessage", "messageChanged", "messageDeleted", "messageRead", "typing"] {
        assert!(!alice.has_event(event), "{event} came into the room of others");
    }
    let stored = stage.world.chat.messages().recent_by_room(&room("ops"), 20).await.unwrap().value;
    assert_eq!(stored.len(), 1);
    assert!(stored[0].content == SECRET && stored[0].read_by.is_empty(), "{stored:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_method_reaches_a_room_of_others() {
    check_foreign_methods::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_method_reaches_a_room_of_others_over_the_gateway() {
    check_foreign_methods::<OverGateway>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disabled_user_is_refused_by_every_method() {
    let stage = Stage::new::<Embedded>(settings_with_features()).await;
    let id = stage.world.send(CHARLIE, "general", "before").await.id;
    for (name, arguments, _) in cases(&id) {
        // It shows nothing of anybody.
        if name == "gethealthstatus" {
            continue;
        }
        let enable = |enabled| UserChange { enabled: Some(enabled), ..UserChange::default() };
        stage.world.chat.change_user(CHARLIE, enable(true)).await.unwrap();
        let mut charlie = stage.connect(CHARLIE, Transport::WebSockets).await;
        stage.world.chat.change_user(CHARLIE, enable(false)).await.unwrap();
        if name == "heartbeat" {
            charlie.invoke(name, arguments).await;
            charlie.ended().await;
            continue;
        }
        charlie.invoke(name, arguments).await;
        let error = charlie.event("onError").await;
        assert_eq!(error, "there is no such user, or it is disabled", "{name}");
    }
    let stored =
        stage.world.chat.messages().recent_by_room(&room("general"), 20).await.unwrap().value;
    assert_eq!((stored.len(), stored[0].content.as_str()), (1, "before"));
}
