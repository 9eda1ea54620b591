//! Who may do what: fixed rooms on every path, and disabled users.

use chat::{ErrorKind, MessageAddress, UserChange};

use crate::world::{ALICE, CHARLIE, Embedded, World, message, room, settings_with_features};

#[tokio::test]
async fn a_room_of_others_is_refused_on_every_path() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let id = world.send(ALICE, "ops", "internal").await.id;
    let (charlie, ops) = (world.member(CHARLIE).await, room("ops"));
    let named = MessageAddress { id: id.clone(), room: Some(ops.clone()) };
    let bare = MessageAddress { id, room: None };
    let chat = &world.chat;
    let mut refusals = vec![
        chat.send(&charlie, message("ops", "hi")).await.unwrap_err(),
        chat.history(&charlie, &ops, None, 20).await.unwrap_err(),
        chat.typing(&charlie, &ops, true).await.unwrap_err(),
        chat.search(&charlie, "internal", Some(&ops), None, 20).await.unwrap_err(),
        chat.unread(&charlie, Some(&ops)).await.unwrap_err(),
        chat.mark_room_seen(&charlie, &ops).await.unwrap_err(),
    ];
    for address in [&named, &bare] {
        refusals.push(chat.message(&charlie, address).await.unwrap_err());
        refusals.push(chat.mark_read(&charlie, address).await.unwrap_err());
        refusals.push(chat.edit(&charlie, address, "changed").await.unwrap_err());
        refusals.push(chat.delete(&charlie, address).await.unwrap_err());
    }
    for (number, refused) in refusals.iter().enumerate() {
        assert_eq!(refused.kind(), ErrorKind::Forbidden, "{number}: {refused}");
    }
    assert!(chat.search(&charlie, "internal", None, None, 20).await.unwrap().value.is_empty());
    let stored = chat.messages().recent_by_room(&ops, 20).await.unwrap().value;
    assert_eq!(stored.len(), 1);
    assert!(stored[0].read_by.is_empty() && stored[0].content == "internal");
}

#[tokio::test]
async fn a_room_is_not_made_by_using_it() {
    let world = World::new::<Embedded>().await;
    let alice = world.member(ALICE).await;
    let refused = world.chat.send(&alice, message("brand-new", "hi")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Forbidden);
    assert_eq!(world.chat.rooms().get_all().await.unwrap().value.len(), 3);
}

#[tokio::test]
async fn a_disabled_user_does_nothing_more() {
    let world = World::new::<Embedded>().await;
    let off = UserChange { enabled: Some(false), ..UserChange::default() };
    world.chat.change_user(ALICE, off).await.unwrap();
    assert_eq!(world.chat.member(ALICE).await.unwrap_err().kind(), ErrorKind::Forbidden);
}

#[tokio::test]
async fn a_flood_of_one_user_is_refused_and_others_go_on() {
    let world = World::new::<Embedded>().await;
    let (alice, charlie) = (world.member(ALICE).await, world.member(CHARLIE).await);
    let mut refused = 0;
    for number in 0..100 {
        let sent = world.chat.send(&alice, message("general", &format!("{number}"))).await;
        refused += usize::from(sent.is_err_and(|error| error.kind() == ErrorKind::Limited));
    }
    assert_eq!(refused, 40, "60 in 10 s");
    world.chat.send(&charlie, message("general", "still here")).await.unwrap();
    world.travel(10);
    world.chat.send(&alice, message("general", "later")).await.unwrap();
}
