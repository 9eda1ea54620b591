//! Erasing and exporting a user.

use chat::MessageAddress;

use crate::world::{ALICE, BOB, Embedded, World, room, settings_with_features, user};

async fn everything(world: &World) -> String {
    let containers = world.chat.containers();
    let mut all = String::new();
    for container in [&containers.messages, &containers.users, &containers.rooms, &containers.state]
    {
        let query = client::Query::text("SELECT * FROM c").fan_out("a test reads everything");
        for row in container.query::<serde_json::Value>(&query).await.unwrap().value {
            all.push_str(&row.to_string());
        }
    }
    all
}

#[tokio::test]
async fn an_erased_user_is_nowhere_and_others_stay() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let of_alice = world.send(ALICE, "general", "by alice").await.id;
    world.send(BOB, "general", "by bob").await;
    let bob = world.member(BOB).await;
    let address = MessageAddress { id: of_alice, room: Some(room("general")) };
    world.chat.mark_read(&bob, &address).await.unwrap();
    let certificate = world.chat.erase_user(&user(BOB)).await.unwrap();
    let found: u64 = certificate.containers.iter().map(|container| container.found).sum();
    assert_eq!(found, 4, "{certificate:?}");
    let left = everything(&world).await;
    assert!(!left.contains(BOB) && !left.contains("by bob"), "{left}");
    assert!(left.contains("by alice"));
    assert_eq!(world.chat.erase_user(&user(BOB)).await.unwrap(), certificate);
    assert!(world.chat.member(BOB).await.is_err());
}

#[tokio::test]
async fn an_export_has_the_user_and_the_messages() {
    let world = World::new::<Embedded>().await;
    world.send(ALICE, "general", "by alice").await;
    world.send(BOB, "general", "by bob").await;
    let mut export = world.chat.export_user(&user(BOB));
    let mut lines = String::new();
    while let Some(page) = export.next().await.unwrap() {
        lines.push_str(&page);
    }
    assert!(lines.contains("by bob") && lines.contains("Bob Smith"), "{lines}");
    assert!(!lines.contains("by alice"), "{lines}");
}
