//! CH-A1, CH-A2, CH-A13: containers, the seeder, and the time to live.

use chat::{ErrorKind, RetentionFrom, TtlReconcile};
use client::{PartitionKeyDefinition, TimeToLive};

use crate::world::{ALICE, BOB, Way, World, room, settings, user};

pub(crate) async fn ch_a1_an_empty_account_gets_the_containers_rooms_and_users_once<W: Way>() {
    let world = World::new::<W>().await;
    let database = world.account.database("chat").unwrap();
    for (name, path) in [("messages", "/roomName"), ("users", "/userName"), ("rooms", "/name")] {
        let container = database.container(name).unwrap();
        let properties = container.read_properties().await.unwrap().value;
        assert_eq!(
            properties.partition_key,
            PartitionKeyDefinition::single(path).unwrap(),
            "{name}"
        );
        assert_eq!(properties.default_time_to_live, TimeToLive::Off, "{name}");
    }
    let rooms = world.chat.rooms().get_all().await.unwrap().value;
    let names: Vec<_> = rooms.iter().map(|room| room.name.as_str()).collect();
    assert_eq!(names, ["general", "ops", "random"]);
    assert_eq!(rooms[0].users.len(), 3, "members mirror the rooms of users");
    let users = world.chat.users().get_all().await.unwrap().value;
    let names: Vec<_> = users.iter().map(|user| user.user_name.as_str()).collect();
    assert_eq!(names, [ALICE, BOB, "charlie@example.com"]);

    let again = world.reopened(settings()).await.unwrap();
    let added = again.seed().await.unwrap();
    assert_eq!((added.rooms, added.users), (0, 0));
    assert_eq!(again.users().get_all().await.unwrap().value, users);
    assert_eq!(again.ttl_reconcile(), TtlReconcile::Equal);
}

pub(crate) async fn ch_a2_without_auto_create_a_missing_container_is_named<W: Way>() {
    let world = World::new::<W>().await;
    let mut settings = settings();
    settings.cosmos.auto_create = false;
    world.reopened(settings.clone()).await.unwrap();
    settings.cosmos.database = "empty".to_owned();
    world.account.database("empty").unwrap().create_if_missing(None).await.unwrap();
    let database = world.account.database("empty").unwrap();
    for (name, path) in [("messages", "/roomName"), ("users", "/userName")] {
        let container = database.container(name).unwrap();
        let key = PartitionKeyDefinition::single(path).unwrap();
        container.create_if_missing(container.properties(key), None).await.unwrap();
    }
    let error = world.reopened(settings).await.unwrap_err();
    let text = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    for part in ["'rooms'", "/name", "'empty'", "Cosmos:AutoCreate=true"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(
        database.container("rooms").unwrap().read_properties().await.is_err(),
        "nothing is made"
    );
}

pub(crate) async fn ch_a2_without_auto_create_another_partition_key_is_named<W: Way>() {
    let world = World::new::<W>().await;
    for auto_create in [true, false] {
        let mut settings = settings();
        settings.cosmos.auto_create = auto_create;
        settings.cosmos.rooms_container = "users".to_owned();
        let text = world.reopened(settings).await.unwrap_err().to_string();
        assert!(text.contains("/userName") && text.contains("/name"), "{text}");
    }
}

pub(crate) async fn ch_a13_messages_expire_and_a_receipt_prolongs_their_life<W: Way>() {
    let mut limited = settings();
    limited.cosmos.messages_ttl_seconds = Some(60);
    let world = World::with::<W>(limited).await;
    let (general, messages) = (room("general"), world.chat.messages());
    let first = world.send(ALICE, "general", "first").await.id;
    let second = world.send(ALICE, "general", "second").await.id;
    world.travel(50);
    let member = world.member(BOB).await;
    let address = chat::MessageAddress { id: second.clone(), room: Some(general.clone()) };
    world.chat.mark_read(&member, &address).await.unwrap();
    world.travel(9);
    assert_eq!(messages.recent_by_room(&general, 20).await.unwrap().value.len(), 2, "at 59 s");
    world.travel(2);
    let left = messages.recent_by_room(&general, 20).await.unwrap().value;
    assert_eq!(left.iter().map(|message| &message.id).collect::<Vec<_>>(), [&second], "at 61 s");
    assert!(messages.get(&general, &first).await.unwrap().value.is_none());
    world.travel(48);
    assert!(messages.get(&general, &second).await.unwrap().value.is_some(), "at 109 s");
    world.travel(2);
    assert!(messages.get(&general, &second).await.unwrap().value.is_none(), "at 111 s");

    let cleared = world.reopened(settings()).await.unwrap();
    let (from, to) = (TimeToLive::Seconds(60), TimeToLive::Off);
    assert_eq!(cleared.ttl_reconcile(), TtlReconcile::Changed { from, to });
    let mut on = settings();
    on.cosmos.messages_ttl_seconds = Some(-1);
    on.cosmos.auto_create = false;
    let reported = world.reopened(on).await.unwrap();
    let (has, wanted) = (TimeToLive::Off, TimeToLive::NoDefault);
    assert_eq!(reported.ttl_reconcile(), TtlReconcile::Differs { has, wanted });
}

pub(crate) async fn ch_a13_retention_from_creation_is_not_prolonged<W: Way>() {
    let mut limited = settings();
    limited.cosmos.messages_ttl_seconds = Some(60);
    limited.chat.retention_from = RetentionFrom::Creation;
    let world = World::with::<W>(limited).await;
    let general = room("general");
    let id = world.send(ALICE, "general", "first").await.id;
    world.travel(50);
    let change =
        chat::MessageChange { room: &general, id: &id, by: &user(BOB), life_seconds: Some(60) };
    let marked = world.chat.messages().mark_read(change).await.unwrap().value.unwrap();
    assert_eq!(marked.ttl, Some(10));
    world.travel(11);
    assert!(world.chat.messages().get(&general, &id).await.unwrap().value.is_none());
}
