//! CH-033, CH-034, CH-040 to CH-055: the repositories.

use chat::{
    ChatRoom, ChatUser, DeleteResult, ErrorKind, HistoryCursor, MessageAddress, UtcTimestamp,
};

use crate::world::{ALICE, BOB, CHARLIE, Embedded, World, message, room, user};

#[tokio::test]
async fn history_is_paged_backwards_and_returned_oldest_first() {
    let world = World::new::<Embedded>().await;
    for number in 0..25 {
        world.send(ALICE, "general", &format!("m{number}")).await;
        world.travel(1);
    }
    let general = room("general");
    let contents = |messages: &[chat::ChatMessage]| -> Vec<String> {
        messages.iter().map(|message| message.content.clone()).collect()
    };
    let newest = world.chat.messages().recent_by_room(&general, 20).await.unwrap().value;
    assert_eq!(contents(&newest), (5..25).map(|n| format!("m{n}")).collect::<Vec<_>>());
    let before = HistoryCursor::before(newest[0].timestamp);
    let older = world.chat.messages().before_by_room(&general, &before, 20).await.unwrap().value;
    assert_eq!(contents(&older), (0..5).map(|n| format!("m{n}")).collect::<Vec<_>>());
    let first = HistoryCursor::before(UtcTimestamp::parse("2025-01-01T00:00:00Z").unwrap());
    assert!(
        world.chat.messages().before_by_room(&general, &first, 20).await.unwrap().value.is_empty()
    );
}

#[tokio::test]
async fn only_its_sender_deletes_a_message() {
    let world = World::new::<Embedded>().await;
    let id = world.send(ALICE, "general", "mine").await.id;
    let (general, messages) = (room("general"), world.chat.messages());
    let delete = async |id: &str, by| messages.delete(&general, id, &user(by)).await.unwrap().value;
    assert_eq!(delete(&id, BOB).await, DeleteResult::OfSomebodyElse);
    assert_eq!(delete("1", ALICE).await, DeleteResult::Missing);
    assert_eq!(delete(&id, ALICE).await, DeleteResult::Deleted);
    assert_eq!(delete(&id, ALICE).await, DeleteResult::Missing);
}

#[tokio::test]
async fn two_first_upserts_of_a_user_leave_one_document() {
    let world = World::new::<Embedded>().await;
    let users = world.chat.users();
    let named = |name: &str| ChatUser::new("dora", name, &["general"]);
    let (one, other) = (named("One"), named("Other"));
    let (one, other) = tokio::join!(users.upsert(&one), users.upsert(&other));
    assert_eq!(one.unwrap().value.id, other.unwrap().value.id);
    let query = client::Query::text("SELECT VALUE c.id FROM c").within("dora".into());
    let ids = world.chat.containers().users.query::<String>(&query).await.unwrap().value;
    assert_eq!(ids.len(), 1);
    assert_eq!(ids[0].len(), 36, "{}", ids[0]);
}

#[tokio::test]
async fn a_mail_address_belongs_to_one_user() {
    let world = World::new::<Embedded>().await;
    let users = world.chat.users();
    let mut dora = ChatUser::new("dora", "Dora", &["general"]);
    dora.email = Some("ALICE@example.com".to_owned());
    assert_eq!(users.upsert(&dora).await.unwrap_err().kind(), ErrorKind::Conflict);
    dora.email = Some("dora@example.com".to_owned());
    users.upsert(&dora).await.unwrap();
    // Given away, it can be taken by another.
    dora.email = Some("d@example.com".to_owned());
    users.upsert(&dora).await.unwrap();
    let mut eve = ChatUser::new("eve", "Eve", &[]);
    eve.email = Some("Dora@example.com".to_owned());
    users.upsert(&eve).await.unwrap();
    assert_eq!(users.get_all().await.unwrap().value.len(), 5, "reservations are no users");
    // A reservation whose user was never written does not last.
    let orphan = serde_json::json!({
        "id": "email:f@example.com", "userName": "email:f@example.com", "type": "emailReservation",
        "owner": "frank",
    });
    let container = &world.chat.containers().users;
    container.create(&"email:f@example.com".into(), &orphan).await.unwrap();
    eve.email = Some("f@example.com".to_owned());
    users.upsert(&eve).await.unwrap();
}

#[tokio::test]
async fn a_user_is_found_by_its_name_at_the_issuer_without_case() {
    let world = World::new::<Embedded>().await;
    let change =
        chat::UserChange { upn: Some("Alice@Contoso.com".to_owned()), ..Default::default() };
    world.chat.change_user(ALICE, change).await.unwrap();
    let found = world.chat.users().get_by_upn("alice@CONTOSO.com").await.unwrap().value;
    assert_eq!(found.unwrap().user_name, ALICE);
    assert!(world.chat.users().get_by_upn("nobody@contoso.com").await.unwrap().value.is_none());
}

#[tokio::test]
async fn members_of_a_room_are_a_set_without_case() {
    let world = World::new::<Embedded>().await;
    let (rooms, ops) = (world.chat.rooms(), room("ops"));
    for name in [BOB, "BOB@example.com"] {
        rooms.add_user(&ops, &user(name)).await.unwrap();
    }
    let users = async || rooms.get_by_id("ops").await.unwrap().value.unwrap().users;
    assert_eq!(users().await, [ALICE, BOB]);
    rooms.remove_user(&ops, &user("Bob@Example.com")).await.unwrap();
    assert_eq!(users().await, [ALICE]);
    assert!(rooms.add_user(&room("nowhere"), &user(BOB)).await.unwrap().value.is_none());
    let doubled = rooms.create(&ChatRoom::new(ops)).await.unwrap_err();
    assert_eq!(doubled.kind(), ErrorKind::Conflict);
}

#[tokio::test]
async fn lists_of_members_are_rebuilt_from_the_rooms_of_users() {
    let world = World::new::<Embedded>().await;
    world.chat.rooms().add_user(&room("ops"), &user(CHARLIE)).await.unwrap();
    assert_eq!(world.chat.rebuild_members().await.unwrap().rooms_changed, 1);
    assert_eq!(world.chat.rebuild_members().await.unwrap().rooms_changed, 0);
    world.chat.set_user_rooms(CHARLIE, &["ops".to_owned()]).await.unwrap();
    assert_eq!(world.chat.rebuild_members().await.unwrap().rooms_changed, 0, "kept up to date");
    let nowhere = world.chat.set_user_rooms(CHARLIE, &["nowhere".to_owned()]).await.unwrap_err();
    assert_eq!((nowhere.kind(), nowhere.field()), (ErrorKind::Invalid, Some("fixedRooms")));
}

#[tokio::test]
async fn only_three_questions_leave_their_partition() {
    let world = World::new::<Embedded>().await;
    let before = world.account.fan_outs();
    let alice = world.member(ALICE).await;
    let sent = world.chat.send(&alice, message("general", "hello")).await.unwrap().value.view;
    let address = MessageAddress { id: sent.id.clone(), room: Some(room("general")) };
    world.chat.mark_read(&alice, &address).await.unwrap();
    world.chat.history(&alice, &room("general"), None, 20).await.unwrap();
    world.chat.rooms_of(&alice).await.unwrap();
    world.chat.message(&alice, &address).await.unwrap();
    world.chat.delete(&alice, &address).await.unwrap();
    assert_eq!(world.account.fan_outs(), before);
}

#[tokio::test]
async fn the_same_id_in_two_rooms_of_the_caller_is_ambiguous() {
    let world = World::new::<Embedded>().await;
    let containers = world.chat.containers();
    for name in ["general", "ops", "random"] {
        let document = serde_json::json!({
            "id": "7", "roomName": name, "content": name, "fromUser": ALICE,
            "timestamp": "2025-11-21T12:00:00.000Z",
        });
        containers.messages.create(&containers.room_key(&room(name)), &document).await.unwrap();
    }
    let bare = MessageAddress { id: "7".to_owned(), room: None };
    let alice = world.member(ALICE).await;
    assert_eq!(world.chat.message(&alice, &bare).await.unwrap_err().kind(), ErrorKind::Conflict);
    let named = MessageAddress { room: Some(room("ops")), ..bare.clone() };
    assert_eq!(world.chat.message(&alice, &named).await.unwrap().content, "ops");
    // Charlie sees one of the three, so it is clear which is meant.
    let charlie = world.member(CHARLIE).await;
    assert_eq!(world.chat.message(&charlie, &bare).await.unwrap().content, "general");
}
