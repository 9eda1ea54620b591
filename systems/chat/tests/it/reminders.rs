//! Unread reminders: due after the delay, kept over a restart, dropped by a receipt.

use chat::{ChatSettings, MessageAddress, ReminderRound};

use crate::world::{ALICE, BOB, Embedded, World, room, settings};

fn round(reminded: u32, dropped: u32) -> ReminderRound {
    ReminderRound { reminded, dropped }
}

#[tokio::test]
async fn members_but_the_sender_are_reminded_once_of_what_nobody_has_read() {
    let world = World::new::<Embedded>().await;
    world.send(ALICE, "general", "a secret plan").await;
    world.travel(59);
    assert_eq!(world.chat.send_reminders().await.unwrap(), round(0, 0));
    world.travel(2);
    // Another process, started after the message was sent.
    let restarted = world.reopened(settings()).await.unwrap();
    assert_eq!(restarted.send_reminders().await.unwrap(), round(1, 0));
    let mut texts = world.texts.wait_for(2).await;
    texts.sort();
    let text = "New message in #general".to_owned();
    let to = |name: &str| (name.to_owned(), text.clone());
    assert_eq!(texts, [to(BOB), to("charlie@example.com")], "no content, and not to the sender");
    world.travel(600);
    assert_eq!(world.chat.send_reminders().await.unwrap(), round(0, 0), "once");
}

#[tokio::test]
async fn a_receipt_cancels_the_reminder() {
    let world = World::new::<Embedded>().await;
    let id = world.send(ALICE, "general", "read me").await.id;
    let bob = world.member(BOB).await;
    let address = MessageAddress { id, room: Some(room("general")) };
    world.chat.mark_read(&bob, &address).await.unwrap();
    world.travel(61);
    assert_eq!(world.chat.send_reminders().await.unwrap(), round(0, 0));
    assert!(world.texts.all().is_empty());
}

#[tokio::test]
async fn a_delay_of_zero_turns_reminders_off() {
    let mut off: ChatSettings = settings();
    off.notifications.unread_delay_seconds = 0;
    let world = World::with::<Embedded>(off).await;
    world.send(ALICE, "general", "quiet").await;
    world.travel(3_600);
    assert_eq!(world.chat.send_reminders().await.unwrap(), round(0, 0));
}
