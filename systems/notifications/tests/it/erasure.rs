//! Erasing and exporting a user.

use std::sync::Arc;

use client::Query;
use notifications::{DispatchObserver, DispatchStep, EventType};

use crate::world::{World, event, event_for, user};

async fn counts(world: &World, name: &str) -> Vec<u64> {
    let containers = world.system.containers();
    let mut counts = Vec::new();
    for container in [
        &containers.events,
        &containers.notifications,
        &containers.preferences,
        &containers.devices,
    ] {
        let query = Query::text("SELECT VALUE COUNT(1) FROM c").within(name.into());
        counts.push(container.query::<u64>(&query).await.unwrap().value[0]);
    }
    let query =
        Query::text("SELECT VALUE COUNT(1) FROM c WHERE c.userId = @user").parameter("@user", name);
    let owners =
        containers.token_owners.query::<u64>(&query.fan_out("a test counts")).await.unwrap();
    counts.push(owners.value[0]);
    counts
}

async fn fill(world: &World, name: &str) {
    let change = notifications::PreferencesChange { social: Some(true), ..Default::default() };
    world.system.change_preferences(&user(name), &change).await.unwrap();
    for device in ["d1", "d2", "d3"] {
        world.register(name, &format!("{name}-{device}")).await;
    }
    for number in 0..245 {
        world.send(event_for(name, EventType::PostLike, "carol", &format!("p{number}"))).await;
    }
}

#[tokio::test]
async fn the_request_of_an_erasure_is_deleted_in_the_end() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.send(event(EventType::PostLike, "alice")).await;
    let certificate = world.system.erase(&user("bob")).await.unwrap();
    assert_eq!(counts(&world, "bob").await, [0; 5]);
    let stored = world.system.erasure_certificate(&user("bob")).await.unwrap();
    assert_eq!(stored, Some(certificate));
    // The second time forgets the request too, which still named the user.
    world.travel(241);
    assert_eq!(world.system.finish_erasures().await.unwrap(), 1);
    assert_eq!(world.system.finish_erasures().await.unwrap(), 0);
}

/// Erases the user while a worker is between two steps.
struct EraseAt {
    at: DispatchStep,
    system: notifications::Notifications,
}

impl DispatchObserver for EraseAt {
    fn on_step(&self, step: DispatchStep) {
        if step == self.at {
            let system = self.system.clone();
            let task = tokio::task::spawn(async move { system.erase(&user("bob")).await.unwrap() });
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async { task.await.unwrap() })
            });
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nt_a14_a_worker_in_the_middle_of_an_event_leaves_nothing_behind() {
    for at in [
        DispatchStep::Received,
        DispatchStep::Claimed,
        DispatchStep::Planned,
        DispatchStep::Listed,
        DispatchStep::AllPushed,
    ] {
        let world = World::new().await;
        world.register("bob", "d1").await;
        world.send(event(EventType::PostLike, "alice")).await;
        let worker = world.reopened().await;
        worker.observe_steps(Arc::new(EraseAt { at, system: world.system.clone() }));
        worker.dispatcher("worker").await.unwrap().run_once().await.unwrap();
        assert_eq!(counts(&world, "bob").await, [0; 5], "{at:?}");
    }
}

#[tokio::test]
async fn an_export_has_everything_and_masks_tokens() {
    let world = World::new().await;
    fill(&world, "bob").await;
    world.dispatch().await;
    let mut export = world.system.export(&user("bob"));
    let mut lines = String::new();
    while let Some(page) = export.next().await.unwrap() {
        lines.push_str(&page);
    }
    let expected: u64 = counts(&world, "bob").await.iter().sum();
    assert_eq!(lines.lines().count() as u64, expected);
    assert!(!lines.contains("token-of-bob"), "tokens are masked");
    assert!(lines.contains("…b-d1"), "their last four characters are shown");
}
