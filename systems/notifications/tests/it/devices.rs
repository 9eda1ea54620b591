//! Devices: tokens that another user registers, refreshing, cleanup.

use notifications::{DeviceId, RevokedReason};

use crate::world::{World, registration, user};

#[tokio::test]
async fn a_token_that_another_user_registers_stops_working_for_the_first() {
    let world = World::new().await;
    let shared = registration("phone", "the-token");
    world.system.register_device(&user("alice"), &shared).await.unwrap();
    world.system.register_device(&user("bob"), &shared).await.unwrap();
    assert_eq!(world.active("alice").await, Vec::<String>::new());
    assert_eq!(world.active("bob").await, ["phone"]);
    let devices = world.system.devices(&user("alice")).await.unwrap().value;
    assert_eq!(devices[0].revoked_reason, Some(RevokedReason::Moved));
    // And back again.
    world.system.register_device(&user("alice"), &shared).await.unwrap();
    assert_eq!(world.active("alice").await, ["phone"]);
    assert_eq!(world.active("bob").await, Vec::<String>::new());
}

#[tokio::test]
async fn of_many_users_who_register_one_token_at_once_at_most_one_keeps_it() {
    let world = World::new().await;
    let tasks = (0..6).map(|number| {
        let system = world.system.clone();
        tokio::spawn(async move {
            let shared = registration("phone", "the-token");
            // Losing to another is an honest answer.
            let _ = system.register_device(&user(&format!("u{number}")), &shared).await;
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let mut active = 0;
    for number in 0..6 {
        active += world.active(&format!("u{number}")).await.len();
    }
    assert_eq!(active, 1);
}

#[tokio::test]
async fn a_known_device_is_refreshed_and_its_id_stays() {
    let world = World::new().await;
    let first = world.system.register_device(&user("bob"), &registration("d1", "one")).await;
    let first = first.unwrap().value.device;
    world.travel(5);
    let second = world.system.register_device(&user("bob"), &registration("d1", "two")).await;
    let second = second.unwrap().value;
    assert!(!second.is_new && second.evicted.is_none());
    assert_eq!(second.device.id, first.id);
    assert_eq!(second.device.push_token.secret(), "two");
    assert!(second.device.last_seen_at > first.last_seen_at);
}

#[tokio::test]
async fn a_revoked_device_is_active_again_when_it_registers() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    let d1 = DeviceId::parse("d1").unwrap();
    let revoked = world.system.revoke_device(&user("bob"), &d1).await.unwrap().value;
    assert_eq!(revoked.revoked_reason, Some(RevokedReason::User));
    let again = world.system.revoke_device(&user("bob"), &d1).await.unwrap().value;
    assert_eq!(again.revoked_at, revoked.revoked_at);
    assert_eq!(world.active("bob").await, Vec::<String>::new());
    let back = world.register("bob", "d1").await.device;
    assert_eq!((back.id, back.revoked_at), (revoked.id, None));
    let missing = world.system.revoke_device(&user("bob"), &DeviceId::parse("d9").unwrap()).await;
    assert_eq!(missing.unwrap_err().kind(), notifications::ErrorKind::NotFound);
}

#[tokio::test]
async fn unused_devices_are_revoked_and_later_deleted() {
    let world = World::new().await;
    world.register("bob", "old").await;
    world.travel(60 * 86_400);
    world.register("bob", "new").await;
    world.travel(31 * 86_400);
    let cleaned = world.system.clean_devices().await.unwrap();
    assert_eq!((cleaned.revoked, cleaned.deleted), (1, 0));
    assert_eq!(world.active("bob").await, ["new"]);
    world.register("bob", "new").await;
    world.travel(91 * 86_400);
    world.register("bob", "new").await;
    let cleaned = world.system.clean_devices().await.unwrap();
    assert_eq!((cleaned.revoked, cleaned.deleted), (0, 1));
    assert_eq!(world.system.devices(&user("bob")).await.unwrap().value.len(), 1);
}

#[test]
fn a_push_token_is_never_printed() {
    let registration = registration("d1", "secret-token-1234");
    let printed = format!("{registration:?}");
    assert!(printed.contains("…1234") && !printed.contains("secret"), "{printed}");
}
