//! CH-030, CH-031: the documents of the seed are read and written as they are, and unknown properties survive.

use chat::{ChatMessage, ChatRoom, ChatUser, MessageAddress};
use client::Item;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::world::{ALICE, BOB, Embedded, World, room, user};

/// Reads and writes a document; the text must stay the same but for white space.
fn check<T: Serialize + DeserializeOwned>(text: &str) {
    let typed: T = serde_json::from_str(text).unwrap();
    let compact = |text: &str| {
        serde_json::from_str::<Box<serde_json::value::RawValue>>(text).unwrap().to_string()
    };
    let without_space: String = compact(text).lines().map(str::trim).collect::<Vec<_>>().join("");
    let without_space = without_space.replace("\": ", "\":").replace("\", \"", "\",\"");
    assert_eq!(serde_json::to_string(&typed).unwrap(), without_space);
}

#[test]
fn the_documents_of_the_seed_keep_their_text() {
    check::<ChatMessage>(include_str!("golden/message.json"));
    check::<ChatUser>(include_str!("golden/user.json"));
    check::<ChatRoom>(include_str!("golden/room.json"));
}

#[tokio::test]
async fn properties_that_we_do_not_know_survive_a_change() {
    let world = World::new::<Embedded>().await;
    let containers = world.chat.containers();
    let document = json!({
        "id": "7", "roomName": "general", "content": "old", "fromUser": ALICE,
        "timestamp": "2025-11-21T12:00:00.000Z", "reactions": { "+1": [BOB] }, "ttl": -1,
    });
    let key = containers.room_key(&room("general"));
    containers.messages.create(&key, &document).await.unwrap();
    let bob = world.member(BOB).await;
    let address = MessageAddress { id: "7".to_owned(), room: Some(room("general")) };
    world.chat.mark_read(&bob, &address).await.unwrap();
    let stored: Item<Value> = containers.messages.read(&key, "7").await.unwrap().value;
    assert_eq!(stored.value["reactions"]["+1"][0], BOB);
    assert_eq!((&stored.value["readBy"], &stored.value["ttl"]), (&json!([BOB]), &json!(-1)));

    let query = client::Query::text("SELECT * FROM c").within(ALICE.into());
    let alice = containers.users.query::<Item<Value>>(&query);
    let mut alice = alice.await.unwrap().value.remove(0);
    alice.value["badge"] = json!(17);
    containers.users.save(&ALICE.into(), &alice).await.unwrap();
    let change = chat::UserChange { full_name: Some("A. J.".to_owned()), ..Default::default() };
    world.chat.change_user(ALICE, change).await.unwrap();
    let id = alice.value["id"].as_str().unwrap();
    let stored: Item<Value> = containers.users.read(&ALICE.into(), id).await.unwrap().value;
    assert_eq!((&stored.value["badge"], &stored.value["fullName"]), (&json!(17), &json!("A. J.")));
    assert_eq!(
        world.chat.users().get_by_user_name(&user(ALICE)).await.unwrap().value.unwrap().id,
        id
    );
}
