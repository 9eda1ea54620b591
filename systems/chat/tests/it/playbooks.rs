//! CH-090 to CH-092: the playbooks.

use std::sync::Mutex;

use chat::playbook::{
    MessageIndexing, apply_ttl, change_indexing, hierarchical_copy, keep_messages, plan_ttl,
};
use client::TimeToLive;
use service::copy::{Checkpoint, CheckpointStore, ContainerCopy, OnExtraItem, StopCondition};

use crate::world::{ALICE, BOB, Embedded, World, room, settings};

#[tokio::test]
async fn introducing_a_time_to_live_says_first_what_would_vanish() {
    let world = World::new::<Embedded>().await;
    for number in 0..3 {
        world.send(ALICE, "general", &format!("old {number}")).await;
    }
    world.send(ALICE, "ops", "old too").await;
    world.travel(100);
    world.send(ALICE, "general", "new").await;
    let containers = world.chat.containers();
    let plan = plan_ttl(containers, 60).await.unwrap().value;
    assert_eq!((plan.now, plan.total(), plan.rooms.len()), (TimeToLive::Off, 4, 2));
    let left = async |name: &str| {
        world.chat.messages().recent_by_room(&room(name), 20).await.unwrap().value.len()
    };
    assert_eq!((left("general").await, left("ops").await), (4, 1), "a plan changes nothing");
    assert_eq!(keep_messages(containers, &room("ops"), 60).await.unwrap(), 1);
    assert_eq!(plan_ttl(containers, 60).await.unwrap().value.total(), 3);
    apply_ttl(containers, 60).await.unwrap();
    assert_eq!((left("general").await, left("ops").await), (1, 1), "what was kept stays");
    world.travel(1_000);
    assert_eq!((left("general").await, left("ops").await), (0, 1));
}

#[tokio::test]
async fn another_indexing_policy_is_planned_applied_and_survives_a_start() {
    let world = World::new::<Embedded>().await;
    let receipt = async |reader: &str| {
        let id = world.send(ALICE, "general", "hello").await.id;
        let (general, reader) = (room("general"), crate::world::user(reader));
        let change =
            chat::MessageChange { room: &general, id: &id, by: &reader, life_seconds: None };
        world.chat.messages().mark_read(change).await.unwrap().charge
    };
    let before = receipt(BOB).await;
    let containers = world.chat.containers();
    let planned =
        change_indexing(containers, MessageIndexing::WithoutReaders, false).await.unwrap();
    assert_ne!(planned.from, planned.to);
    assert!((receipt(BOB).await - before).abs() < 0.2, "a plan changes nothing");
    change_indexing(containers, MessageIndexing::WithoutReaders, true).await.unwrap();
    let after = receipt(BOB).await;
    assert!(after <= before, "{after} RU instead of {before}");
    world.reopened(settings()).await.unwrap();
    let properties = containers.messages.read_properties().await.unwrap().value;
    assert_eq!(properties.indexing_policy, planned.to);
    change_indexing(containers, MessageIndexing::Chronological, true).await.unwrap();
}

#[derive(Default)]
struct Kept(Mutex<Option<Checkpoint>>);

impl CheckpointStore for Kept {
    fn load(&self) -> Result<Option<Checkpoint>, String> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn save(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        *self.0.lock().unwrap() = Some(checkpoint.clone());
        Ok(())
    }
}

#[tokio::test]
async fn messages_move_to_a_hierarchical_key_while_people_write() {
    let world = World::new::<Embedded>().await;
    for number in 0..30 {
        world
            .send(ALICE, if number % 2 == 0 { "general" } else { "ops" }, &format!("{number}"))
            .await;
        world.travel(1);
    }
    let containers = world.chat.containers();
    let plan = || hierarchical_copy(containers, "messages_v2", "default").unwrap();
    let kept = Kept::default();
    let copy = ContainerCopy::prepare(plan()).await.unwrap();
    copy.run(&kept, StopCondition::CaughtUp, &|_| ()).await.unwrap();
    world.send(BOB, "general", "while it was copied").await;
    let copy = ContainerCopy::prepare(plan()).await.unwrap();
    let summary = copy.run(&kept, StopCondition::CaughtUp, &|_| ()).await.unwrap();
    assert!(summary.is_resumed);
    let verified = copy.verify(OnExtraItem::Report, &|_| ()).await.unwrap();
    assert!(verified.is_equal(), "{verified:?}");
    assert_eq!(verified.target_items, 31);

    let mut switched = settings();
    switched.cosmos.messages_container = "messages_v2".to_owned();
    switched.cosmos.messages_tenant = "default".to_owned();
    let chat = world.reopened(switched).await.unwrap();
    let newest = chat.messages().recent_by_room(&room("general"), 100).await.unwrap().value;
    assert_eq!(newest.len(), 16);
    let alice = chat.member(ALICE).await.unwrap();
    let sent = chat.send(&alice, crate::world::message("ops", "in its new place")).await.unwrap();
    let id = sent.value.view.id;
    let found = chat.messages().get(&room("ops"), &id).await.unwrap().value.unwrap();
    assert_eq!(found.tenant_id.as_deref(), Some("default"));
}
