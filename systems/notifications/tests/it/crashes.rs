//! A worker that crashes between any two steps loses nothing and repeats nothing.
//!
//! A crash is a panic in the observer: no further line of the worker runs, nothing is cleaned up, its leases stay. The
//! next worker has another name, so it must wait until they expire.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use notifications::delivery::DeliveryResult;
use notifications::{
    DispatchObserver, DispatchStep, EventStatus, EventType, Indexing, NotificationEvent,
    NotificationSettings,
};

use crate::world::{NOON, World, counted, event, event_for, keyed};

/// Crashes the worker when a step is reached for this time, counted from zero.
struct CrashAt {
    at: DispatchStep,
    left: AtomicUsize,
}

impl DispatchObserver for CrashAt {
    fn on_step(&self, step: DispatchStep) {
        if step == self.at && self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            panic!("killed at {step:?}, as planned");
        }
    }
}

/// Two events that become one notification and one of its own, for a user with two devices.
pub(crate) async fn world_with_work() -> (World, Vec<NotificationEvent>) {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.register("bob", "d2").await;
    let mut events = Vec::new();
    for (key, actor) in [("k", "alice"), ("k", "carol"), ("other", "dave")] {
        events.push(world.send(keyed(key, event(EventType::PostLike, actor))).await);
    }
    (world, events)
}

/// Lets leases expire and another worker continue, until nothing is left to do.
pub(crate) async fn recover(world: &World) {
    let system = world.reopened().await;
    let next = system.dispatcher("next").await.unwrap();
    for _ in 0..3 {
        next.run_once().await.unwrap();
        world.travel(181);
        system.sweep().await.unwrap();
        next.run_once().await.unwrap();
    }
}

/// Checks that every event had its effect on the list once, and that every device got each notification. Either of the
/// two events with one key may be first: an event whose worker crashed is overtaken by the next.
pub(crate) async fn check(world: &World, events: &[NotificationEvent], what: &str) {
    let mut statuses = Vec::new();
    for event in events {
        statuses.push(world.event(event).await.status);
    }
    let (done, added) = (EventStatus::Completed, EventStatus::Deduplicated);
    let expected = [[done, added, done], [added, done, done]];
    assert!(expected.contains(&[statuses[0], statuses[1], statuses[2]]), "{what}: {statuses:?}");
    let list = world.list("bob").await;
    assert_eq!(list.len(), 2, "{what}: {list:?}");
    let both = list.iter().find(|one| one.dedupe_key.as_deref() == Some("k")).unwrap();
    let mut actors = both.actors.clone();
    actors.sort();
    assert_eq!(
        (actors, both.count),
        (vec!["alice".to_owned(), "carol".to_owned()], Some(2)),
        "{what}"
    );
    let title = format!("{} and 1 other liked your post", both.actors[0]);
    assert_eq!(both.title, title, "{what}");
    let pushes = world.provider.pushes();
    let by_target =
        counted(pushes.iter().map(|(device, push)| format!("{device} {}", push.collapse_id)));
    assert_eq!(by_target.len(), 4, "{what}: two devices, two notifications: {by_target:?}");
    assert!(by_target.values().all(|count| *count <= 2), "{what}: {by_target:?}");
}

#[tokio::test]
async fn nt_a11_a_worker_may_crash_at_every_step() {
    let mut crashes = 0;
    for at in DispatchStep::ALL {
        for time in 0..4 {
            let (world, events) = world_with_work().await;
            let victim = world.reopened().await;
            victim.observe_steps(Arc::new(CrashAt { at, left: AtomicUsize::new(time) }));
            let crashed = tokio::spawn(async move {
                victim.dispatcher("victim").await.unwrap().run_once().await.unwrap();
            });
            crashes += usize::from(crashed.await.is_err());
            recover(&world).await;
            check(&world, &events, &format!("{at:?}, time {time}")).await;
        }
    }
    // Received, claimed, planned, finished: three times each; merged once; listed and all pushed twice; a device four
    // times.
    assert_eq!(crashes, 4 * 3 + 1 + 2 * 2 + 4);
}

/// The worker that takes over claims what it may be the second to work on.
#[tokio::test]
async fn nt_a11_a_worker_that_takes_over_may_crash_at_every_step() {
    let mut crashes = 0;
    for at in DispatchStep::ALL {
        for time in 0..4 {
            let (world, events) = world_with_work().await;
            for name in ["first", "second"] {
                let victim = world.reopened().await;
                let left = AtomicUsize::new(if name == "first" { 0 } else { time });
                let at = if name == "first" { DispatchStep::Claimed } else { at };
                victim.observe_steps(Arc::new(CrashAt { at, left }));
                let crashed = tokio::spawn(async move {
                    victim.dispatcher("victim").await.unwrap().run_once().await.unwrap();
                });
                crashes += usize::from(crashed.await.is_err());
            }
            recover(&world).await;
            check(&world, &events, &format!("{at:?}, time {time}, after a first crash")).await;
        }
    }
    assert!(crashes > DispatchStep::ALL.len() * 5, "{crashes} crashes");
}

#[tokio::test]
async fn a_first_attempt_writes_no_claim_and_a_repeated_one_does() {
    let world = World::new().await;
    let sent = world.send(event(EventType::PostLike, "alice")).await;
    let crash_at_claim = async |worker: &'static str| {
        let victim = world.reopened().await;
        let left = AtomicUsize::new(0);
        victim.observe_steps(Arc::new(CrashAt { at: DispatchStep::Claimed, left }));
        let crashed = tokio::spawn(async move {
            victim.dispatcher(worker).await.unwrap().run_once().await.unwrap();
        });
        assert!(crashed.await.is_err());
        world.event(&sent).await.status
    };
    assert_eq!(crash_at_claim("worker").await, EventStatus::Pending);
    assert_eq!(crash_at_claim("worker").await, EventStatus::Processing);
}

#[tokio::test]
async fn nt_a11_without_a_crash_the_result_is_the_same() {
    let (world, events) = world_with_work().await;
    world.dispatch().await;
    check(&world, &events, "no crash").await;
    assert_eq!(world.provider.count(), 4, "and no push comes twice");
}

#[tokio::test]
async fn an_event_that_crashes_every_worker_becomes_dead() {
    let world = World::new().await;
    let sent = world.send(event(EventType::PostLike, "alice")).await;
    let mut crashes = 0;
    // The same name every time, so it keeps its leases.
    for _ in 0..10 {
        let victim = world.reopened().await;
        victim.observe_steps(Arc::new(CrashAt {
            at: DispatchStep::Claimed,
            left: AtomicUsize::new(0),
        }));
        let crashed = tokio::spawn(async move {
            victim.dispatcher("victim").await.unwrap().run_once().await.unwrap();
        });
        crashes += usize::from(crashed.await.is_err());
        world.travel(181);
        world.system.sweep().await.unwrap();
    }
    let event = world.event(&sent).await;
    // The first attempt at a new event relies on the lease of the change feed and writes no claim, so that its crash
    // is not counted. The next worker knows that there was an earlier one, and claims.
    assert_eq!((crashes, event.retry_count, event.status), (6, 5, EventStatus::Failed));
    assert_eq!(event.last_error.as_deref(), Some("the worker was lost"));
    assert_eq!(world.system.dead_events(None).await.unwrap().value.events.len(), 1);
}

#[tokio::test]
async fn with_lean_indexing_retries_lost_workers_and_dead_events_are_found_too() {
    let lean = NotificationSettings {
        indexing: Indexing::Lean,
        max_retries: 2,
        ..NotificationSettings::default()
    };
    let world = World::at(NOON, lean).await;
    world.register("bob", "d1").await;
    world.provider.next(DeliveryResult::Retry { after: None, reason: "503".to_owned() });
    let failed = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    let lost = world.send(event(EventType::PostLike, "carol")).await;
    let victim = world.reopened().await;
    victim
        .observe_steps(Arc::new(CrashAt { at: DispatchStep::Claimed, left: AtomicUsize::new(0) }));
    let crashed = tokio::spawn(async move {
        victim.dispatcher("worker").await.unwrap().run_once().await.unwrap();
    });
    assert!(crashed.await.is_err());
    world.travel(181);
    let swept = world.system.sweep().await.unwrap();
    assert_eq!((swept.retries, swept.lost_leases, swept.scheduled), (1, 1, 0));
    world.provider.next(DeliveryResult::Retry { after: None, reason: "503".to_owned() });
    world.dispatch().await;
    let events = [world.event(&failed).await, world.event(&lost).await];
    assert_eq!(events.map(|event| event.status), [EventStatus::Failed, EventStatus::Completed]);
    assert_eq!(world.system.dead_events(None).await.unwrap().value.events.len(), 1);
}

/// The charge of a sweep with two due retries, after so many completed events.
async fn sweep_charge(done: usize) -> f64 {
    let world = World::new().await;
    for number in 0..done {
        world.send(event_for("bob", EventType::PostLike, "alice", &format!("p{number}"))).await;
    }
    world.dispatch().await;
    world.register("eve", "d1").await;
    for target in ["p1", "p2"] {
        world.provider.next(DeliveryResult::Retry { after: None, reason: "503".to_owned() });
        world.send(event_for("eve", EventType::PostLike, "alice", target)).await;
    }
    world.dispatch().await;
    world.travel(181);
    let swept = world.system.sweep().await.unwrap();
    assert_eq!((swept.retries, swept.lost_leases, swept.scheduled), (2, 0, 0));
    swept.charge
}

#[tokio::test]
async fn a_sweep_costs_the_same_however_many_events_are_completed() {
    let (few, many) = (sweep_charge(10).await, sweep_charge(400).await);
    assert!((few - many).abs() < 0.01, "{few} after 10 events, {many} after 400");
}
