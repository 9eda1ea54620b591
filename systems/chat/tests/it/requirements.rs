//! Requirements that no acceptance scenario shows: CH-010, CH-014, CH-053, CH-054, CH-080.

use std::time::Duration;

use chat::ErrorKind;
use client::Fault;

use crate::world::{ALICE, Embedded, OverGateway, Way, World, room, settings};

#[tokio::test]
async fn ch_010_ch_014_the_database_and_its_containers_have_the_names_of_the_settings() {
    let mut settings = settings();
    settings.cosmos.database = "talk".to_owned();
    settings.cosmos.messages_container = "m".to_owned();
    settings.cosmos.users_container = "u".to_owned();
    settings.cosmos.rooms_container = "r".to_owned();
    let world = World::with::<Embedded>(settings).await;
    world.send(ALICE, "general", "hello").await;
    let database = world.account.database("talk").unwrap();
    for name in ["m", "u", "r"] {
        let query = client::Query::text("SELECT VALUE c.id FROM c").fan_out("a test");
        let container = database.container(name).unwrap();
        assert!(!container.query::<String>(&query).await.unwrap().value.is_empty(), "{name}");
    }
    let default = world.account.database("chat").unwrap().container("messages").unwrap();
    assert!(default.read_properties().await.is_err(), "nothing has the default names");
}

async fn failed_query<W: Way>() {
    let world = World::new::<W>().await;
    for _ in 0..3 {
        world.faults.next_of("query", Fault::Throttled { delay: Duration::from_millis(1) });
    }
    let failed = world.chat.rooms().get_all().await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Unavailable);
    assert!(failed.to_string().starts_with("rooms.get_all: "), "{failed}");
    // Every page is tried again: with one attempt left, the list is whole.
    for _ in 0..2 {
        world.faults.next_of("query", Fault::Throttled { delay: Duration::from_millis(1) });
    }
    assert_eq!(world.chat.rooms().get_all().await.unwrap().value.len(), 3);
    assert_eq!(world.faults.pending(), 0);
}

#[tokio::test]
async fn ch_054_a_page_is_retried_and_its_error_names_the_operation() {
    failed_query::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_054_a_page_is_retried_and_its_error_names_the_operation_over_the_gateway() {
    failed_query::<OverGateway>().await;
}

#[tokio::test]
async fn ch_080_rooms_and_users_are_seeded_each_on_its_own() {
    let world = World::new::<Embedded>().await;
    let again = world.chat.seed().await.unwrap();
    assert_eq!((again.rooms, again.users), (0, 0));
    let rooms = &world.chat.containers().rooms;
    for name in ["general", "ops", "random"] {
        rooms.delete(&name.into(), name, None).await.unwrap();
    }
    let report = world.chat.seed().await.unwrap();
    assert_eq!((report.rooms, report.users), (3, 0), "users stay as they are");
    // A room of one's own is a room: nothing is added to it.
    for name in ["general", "ops", "random"] {
        rooms.delete(&name.into(), name, None).await.unwrap();
    }
    world.chat.create_room("mine", None).await.unwrap();
    assert_eq!(world.chat.seed().await.unwrap().rooms, 0);
    let named = world.chat.rooms().get_by_name(&room("general")).await.unwrap().value;
    assert!(named.is_none());
}
