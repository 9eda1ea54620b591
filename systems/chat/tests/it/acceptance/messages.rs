//! CH-A9 to CH-A12, CH-A16, CH-A17: messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chat::{ChatUser, ErrorKind, MessageAddress, MessageIdRequest, MessageIds};
use client::Fault;

use crate::world::{ALICE, BOB, Way, World, correlated, message, room, settings};

pub(crate) async fn ch_a9_the_length_of_a_message_is_checked<W: Way>() {
    let world = World::new::<W>().await;
    let alice = world.member(ALICE).await;
    for (content, is_accepted) in
        [("a".repeat(1_001), false), (" ".to_owned(), false), ("😀".repeat(1_000), true)]
    {
        let sent = world.chat.send(&alice, message("general", &content)).await;
        assert_eq!(sent.is_ok(), is_accepted, "{} bytes", content.len());
        if let Err(error) = sent {
            assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("content")));
        }
    }
    let stored = world.chat.messages().recent_by_room(&room("general"), 20).await.unwrap().value;
    assert_eq!(stored.len(), 1);
    assert_eq!(world.sent.all("newMessage").len(), 1, "a refused message is not broadcast");
}

/// Draws the same id a few times, then others.
struct RepeatedIds(AtomicU32);

impl MessageIds for RepeatedIds {
    fn draw(&self, _: MessageIdRequest<'_>) -> String {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        if number < 4 { "4711".to_owned() } else { format!("{}", 5_000 + number) }
    }
}

pub(crate) async fn ch_a10_a_repeated_id_overwrites_nothing<W: Way>() {
    let ids: Arc<dyn MessageIds> = Arc::new(RepeatedIds(AtomicU32::new(0)));
    let world = World::of::<W>(settings(), Some(ids)).await;
    let first = world.send(ALICE, "general", "first").await;
    let second = world.send(BOB, "general", "second").await;
    assert_eq!(first.id, "4711");
    assert_ne!(second.id, "4711");
    let stored = world.chat.messages().recent_by_room(&room("general"), 20).await.unwrap().value;
    let mut contents: Vec<_> = stored.iter().map(|message| message.content.as_str()).collect();
    contents.sort_unstable();
    assert_eq!(contents, ["first", "second"]);
}

pub(crate) async fn ch_a11_twenty_readers_at_once_are_all_kept<W: Way>() {
    let world = World::new::<W>().await;
    let id = world.send(ALICE, "general", "read me").await.id;
    let mut members = Vec::new();
    for number in 0..20 {
        let name = format!("reader-{number:02}@example.com");
        let user = ChatUser::new(&name, "A Reader", &["general"]);
        world.chat.create_user(&user).await.unwrap();
        members.push(world.member(&name).await);
    }
    let address = MessageAddress { id: id.clone(), room: Some(room("general")) };
    let marked = members.iter().map(|member| world.chat.mark_read(member, &address));
    for marked in futures::future::join_all(marked).await {
        marked.unwrap();
    }
    // Once more: nothing changes.
    world.chat.mark_read(&members[0], &address).await.unwrap();
    let stored = world.chat.messages().get(&room("general"), &id).await.unwrap().value.unwrap();
    let mut readers = stored.read_by.clone();
    readers.sort();
    readers.dedup();
    assert_eq!((readers.len(), stored.read_by.len()), (20, 20));
}

pub(crate) async fn ch_a12_the_hundred_and_first_receipt_is_refused<W: Way>() {
    let world = World::new::<W>().await;
    let bob = world.member(BOB).await;
    let first = world.send(ALICE, "general", "one").await.id;
    let second = world.send(ALICE, "general", "two").await.id;
    let address = |id: &str| MessageAddress { id: id.to_owned(), room: Some(room("general")) };
    for _ in 0..100 {
        world.chat.mark_read(&bob, &address(&first)).await.unwrap();
    }
    let refused = world.chat.mark_read(&bob, &address(&second)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Limited);
    let stored = world.chat.messages().get(&room("general"), &second).await.unwrap().value.unwrap();
    assert!(stored.read_by.is_empty(), "a refused receipt writes nothing");
    world.travel(10);
    world.chat.mark_read(&bob, &address(&second)).await.unwrap();
}

const SHORT: Fault = Fault::Throttled { delay: Duration::from_millis(1) };

pub(crate) async fn ch_a16_throttled_creates_are_retried_and_stored_once<W: Way>() {
    let world = World::new::<W>().await;
    for fault in [SHORT, Fault::LostResponse] {
        let alice = world.member(ALICE).await;
        world.faults.next_of("create", fault);
        world.faults.next_of("create", SHORT);
        let sent = world.chat.send(&alice, message("ops", "once")).await.unwrap().value.view;
        assert_eq!(world.faults.pending(), 0, "both faults were met");
        let stored = world.chat.messages().recent_by_room(&room("ops"), 20).await.unwrap().value;
        assert_eq!(stored.len(), 1, "after {fault:?}");
        world
            .chat
            .delete(&alice, &MessageAddress { id: sent.id, room: Some(room("ops")) })
            .await
            .unwrap();
    }
}

pub(crate) async fn ch_a16_endless_throttling_is_an_error_without_a_duplicate<W: Way>() {
    let world = World::new::<W>().await;
    let alice = world.member(ALICE).await;
    for _ in 0..3 {
        world.faults.next_of("create", SHORT);
    }
    let refused = world.chat.send(&alice, message("ops", "never")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    assert_eq!(world.faults.pending(), 0, "three attempts were made");
    let stored = world.chat.messages().recent_by_room(&room("ops"), 20).await.unwrap().value;
    assert!(stored.is_empty());
}

pub(crate) async fn ch_a17_a_resend_is_one_message<W: Way>() {
    for strategy in [chat::MessageIdStrategy::Random, chat::MessageIdStrategy::Ulid] {
        let mut settings = settings();
        settings.chat.message_id_strategy = strategy;
        let world = World::with::<W>(settings).await;
        let alice = world.member(ALICE).await;
        let send = async |content: &str, id: &str| {
            world.chat.send(&alice, correlated("general", content, id)).await.unwrap().value.view
        };
        let first = send("hello", "c1").await;
        world.travel(30);
        assert_eq!(send("hello", "c1").await, first, "{strategy:?}");
        assert_ne!(send("hello", "c2").await.id, first.id);
        let bob = world.member(BOB).await;
        let of_bob =
            world.chat.send(&bob, correlated("general", "hello", "c1")).await.unwrap().value.view;
        assert_ne!(of_bob.id, first.id, "a correlation id belongs to its sender");
        let stored =
            world.chat.messages().recent_by_room(&room("general"), 20).await.unwrap().value;
        assert_eq!(stored.len(), 3);
        assert_eq!(world.sent.all("newMessage").len(), 3, "a resend is not broadcast again");
    }
}
