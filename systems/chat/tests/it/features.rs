//! The features beyond the seed, each switched on by its setting.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chat::{Chat, ChatParts, ErrorKind, MentionReceiver, MessageAddress, SendRequest, UserMention};

use crate::world::{ALICE, BOB, CHARLIE, Embedded, World, message, room, settings_with_features};

fn address(id: &str, name: &str) -> MessageAddress {
    MessageAddress { id: id.to_owned(), room: Some(room(name)) }
}

#[tokio::test]
async fn features_are_off_by_default() {
    let world = World::new::<Embedded>().await;
    let alice = world.member(ALICE).await;
    let id = world.send(ALICE, "general", "hello").await.id;
    let kinds = [
        world.chat.edit(&alice, &address(&id, "general"), "x").await.unwrap_err().kind(),
        world.chat.typing(&alice, &room("general"), true).await.unwrap_err().kind(),
        world.chat.search(&alice, "hello", None, None, 20).await.unwrap_err().kind(),
        world.chat.unread(&alice, None).await.unwrap_err().kind(),
        world.chat.create_hook(&room("general"), "ci").await.unwrap_err().kind(),
    ];
    assert_eq!(kinds, [ErrorKind::NotFound; 5]);
    let reply = SendRequest { reply_to: Some(id), ..message("general", "re") };
    assert_eq!(world.chat.send(&alice, reply).await.unwrap_err().field(), Some("replyTo"));
    let kept = world.chat.set_retention("ops", Some(60)).await.unwrap_err();
    assert_eq!(kept.field(), Some("retentionSeconds"));
}

#[tokio::test]
async fn an_edit_and_a_tombstone_are_the_senders_and_reach_the_room() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let (alice, bob) = (world.member(ALICE).await, world.member(BOB).await);
    let id = world.send(ALICE, "general", "helo").await.id;
    let address = address(&id, "general");
    assert_eq!(
        world.chat.edit(&bob, &address, "hi").await.unwrap_err().kind(),
        ErrorKind::Forbidden
    );
    let edited = world.chat.edit(&alice, &address, "hello").await.unwrap();
    assert!(edited.edited_at.is_some() && edited.content == "hello");
    assert_eq!(world.sent.all("messageChanged").len(), 1);
    assert_eq!(world.chat.delete(&bob, &address).await.unwrap_err().kind(), ErrorKind::Forbidden);
    world.chat.delete(&alice, &address).await.unwrap();
    let tombstone = world.chat.message(&bob, &address).await.unwrap();
    assert!(tombstone.is_deleted && tombstone.content.is_empty());
    assert_eq!(world.sent.all("messageDeleted").len(), 1);
    let late = world.chat.edit(&alice, &address, "again").await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Conflict);
}

#[tokio::test]
async fn a_reply_names_a_message_of_its_room() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let alice = world.member(ALICE).await;
    let id = world.send(ALICE, "general", "question").await.id;
    let reply = SendRequest { reply_to: Some(id.clone()), ..message("general", "answer") };
    assert_eq!(world.chat.send(&alice, reply).await.unwrap().value.view.reply_to, Some(id.clone()));
    let elsewhere = SendRequest { reply_to: Some(id), ..message("ops", "answer") };
    assert_eq!(world.chat.send(&alice, elsewhere).await.unwrap_err().field(), Some("replyTo"));
}

#[tokio::test]
async fn typing_is_sent_and_never_stored() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let alice = world.member(ALICE).await;
    world.chat.typing(&alice, &room("general"), true).await.unwrap();
    assert_eq!(world.sent.all("typing")[0]["isTyping"], true);
    let stored = world.chat.messages().recent_by_room(&room("general"), 20).await.unwrap().value;
    assert!(stored.is_empty());
}

#[tokio::test]
async fn unread_counts_are_point_reads() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let (alice, bob) = (world.member(ALICE).await, world.member(BOB).await);
    for number in 0..3 {
        world.send(ALICE, "general", &format!("{number}")).await;
    }
    let unread = async |member: &chat::ChatMember| {
        world.chat.unread(member, Some(&room("general"))).await.unwrap().value[0].unread
    };
    assert_eq!((unread(&alice).await, unread(&bob).await), (0, 3));
    world.chat.mark_room_seen(&bob, &room("general")).await.unwrap();
    assert_eq!(unread(&bob).await, 0);
    world.send(ALICE, "general", "more").await;
    assert_eq!(unread(&bob).await, 1);
    let before = world.account.fan_outs();
    let charged = world.chat.unread(&bob, Some(&room("general"))).await.unwrap().charge;
    assert!(charged <= 2.1, "two point reads: {charged} RU");
    assert_eq!(world.account.fan_outs(), before);
}

#[tokio::test]
async fn search_finds_in_the_rooms_of_the_caller() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    world.send(ALICE, "general", "The Release is ready").await;
    world.send(ALICE, "ops", "release at noon").await;
    let find = async |name: &str, text: &str| -> Vec<String> {
        let member = world.member(name).await;
        let found = world.chat.search(&member, text, None, None, 20).await.unwrap().value;
        found.into_iter().map(|message| message.room).collect()
    };
    assert_eq!(find(ALICE, "release").await.len(), 2);
    assert_eq!(find(CHARLIE, "RELEASE").await, ["general"]);
    assert!(find(ALICE, "nothing").await.is_empty());
    let alice = world.member(ALICE).await;
    let short = world.chat.search(&alice, "r", None, None, 20).await.unwrap_err();
    assert_eq!(short.field(), Some("q"));
}

#[tokio::test]
async fn a_room_has_its_own_retention() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    world.chat.set_retention("ops", Some(60)).await.unwrap();
    world.send(ALICE, "ops", "short").await;
    world.send(ALICE, "general", "long").await;
    world.travel(61);
    let left = async |name: &str| {
        world.chat.messages().recent_by_room(&room(name), 20).await.unwrap().value.len()
    };
    assert_eq!((left("ops").await, left("general").await), (0, 1));
}

#[tokio::test]
async fn a_room_is_exported_as_lines() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    for number in 0..3 {
        world.send(ALICE, "ops", &format!("line {number}")).await;
        world.travel(1);
    }
    let mut export = world.chat.export_room(&room("ops")).await.unwrap();
    let mut lines = String::new();
    while let Some(page) = export.next().await.unwrap() {
        lines.push_str(&page);
    }
    let contents: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["content"].to_string())
        .collect();
    assert_eq!(contents, ["\"line 0\"", "\"line 1\"", "\"line 2\""]);
}

#[tokio::test]
async fn a_hook_posts_into_its_room_only_with_its_token() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let (hook, token) = world.chat.create_hook(&room("ops"), "ci").await.unwrap();
    assert!(!hook.id.contains(&token));
    let post = async |token: &str, id: Option<&str>| {
        let id = id.map(str::to_owned);
        world.chat.post_by_hook(token, "build is green".to_owned(), id).await
    };
    let first = post(&token, Some("build-1")).await.unwrap().value.view;
    assert_eq!((first.room.as_str(), first.from_user_name.as_str()), ("ops", "hook:ci"));
    assert_eq!(post(&token, Some("build-1")).await.unwrap().value.view.id, first.id);
    assert_eq!(post("wrong", None).await.unwrap_err().kind(), ErrorKind::SignInRefused);
}

#[derive(Clone, Default)]
struct Mentions(Arc<Mutex<Vec<UserMention>>>);

#[async_trait]
impl MentionReceiver for Mentions {
    async fn mentioned(&self, mention: UserMention) {
        self.0.lock().unwrap().push(mention);
    }
}

#[tokio::test]
async fn members_of_the_room_hear_of_their_mention() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let mentions = Mentions::default();
    let parts = ChatParts { mentions: Some(Arc::new(mentions.clone())), ..ChatParts::default() };
    let (account, environment) = (world.account.clone(), world.environment.clone());
    let chat = Chat::open(account, settings_with_features(), environment, parts).await.unwrap();
    let alice = chat.member(ALICE).await.unwrap();
    let text = format!("@{BOB} @{ALICE} @{CHARLIE} @nobody look");
    chat.send(&alice, message("ops", &text)).await.unwrap();
    assert!(mentions.0.lock().unwrap().is_empty(), "nobody else is a member of ops");
    chat.send(&alice, message("general", &text)).await.unwrap();
    let heard: Vec<_> =
        mentions.0.lock().unwrap().iter().map(|mention| mention.user.as_str().to_owned()).collect();
    assert_eq!(heard, [BOB, CHARLIE]);
}
