//! A writer on an account that stops before or after any of its calls, with a second writer racing.
//!
//! After the reservation has expired, all readers agree: the append of the first writer is whole or not there, by all
//! reads and by every tag, and exactly one of the two writers, who both expect empty tags, has won.

use std::sync::Arc;
use std::time::Duration;

use client::Fault;
use event_store::{
    AccountStorage, AccountStoreOptions, AppendRequest, ErrorKind, EventStore, MemoryPayloads,
    StorageBundle,
};

use crate::world::{AccountPlace, World, draft, tag};

const TAGS: [&str; 2] = ["Seat:1", "Student:1"];

/// Two events; one tag has both.
fn first_append() -> AppendRequest {
    let events = vec![draft("First", &TAGS), draft("FirstToo", &[TAGS[0]])];
    AppendRequest::new(events).expecting(TAGS.map(|name| (tag(name), None)))
}

fn second_append() -> AppendRequest {
    let request = AppendRequest::new(vec![draft("Second", &TAGS)]);
    request.expecting(TAGS.map(|name| (tag(name), None)))
}

async fn without_faults(world: &World) -> StorageBundle {
    let account = world.account.clone().unwrap();
    let payloads = Arc::new(MemoryPayloads::default());
    AccountStorage::open(account, AccountStoreOptions::default(), payloads).await.unwrap()
}

/// Lets the time of the test pass while a future runs: whoever waits for a reservation sees it expire.
async fn while_time_passes<T>(world: &World, future: impl Future<Output = T>) -> T {
    let ticking = async {
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            world.clock.travel(Duration::from_secs(31));
        }
    };
    tokio::select! {
        result = future => result,
        () = ticking => unreachable!("it ticks for ever"),
    }
}

/// Tries until the store answers: time passes in large steps here, so a writer may have taken too long.
async fn append(
    store: &EventStore,
    request: impl Fn() -> AppendRequest,
) -> event_store::Result<event_store::AppendReceipt> {
    loop {
        match store.append(request()).await {
            Err(error) if error.kind() == ErrorKind::Unavailable => {}
            other => return other,
        }
    }
}

/// All readers agree, and the events are those of exactly these appends.
async fn check(store: &EventStore, what: &str) -> Vec<String> {
    let all = store.read_all(None, None).await.unwrap();
    let types: Vec<_> = all.iter().map(|event| event.event_type.clone()).collect();
    for name in TAGS {
        let tagged = store.read_by_tag(&tag(name), None).await.unwrap();
        let expected: Vec<_> =
            all.iter().filter(|event| event.tags.contains(&tag(name))).cloned().collect();
        assert_eq!(tagged, expected, "{what}: {name}");
        let version = store.latest_tag(&tag(name)).await.unwrap();
        let last = expected.last().map(|event| &event.sortable_unique_id);
        assert_eq!(version.as_ref().map(|row| &row.sortable_unique_id), last, "{what}: {name}");
    }
    for event in &all {
        assert_eq!(store.read_event(event.id).await.unwrap().as_ref(), Some(event), "{what}");
    }
    assert_eq!(store.event_count(None).await.unwrap(), all.len() as u64, "{what}");
    let latest = store.latest_sortable_unique_id().await.unwrap();
    assert_eq!(latest.as_ref(), all.last().map(|event| &event.sortable_unique_id), "{what}");
    types
}

/// Runs the first append with a fault at one of its calls. Whether the fault was reached.
async fn stop_at(world: &World, call: usize, fault: Fault) -> bool {
    for _ in 0..call {
        world.faults.next(Fault::None);
    }
    world.faults.next(fault);
    let store = world.events("alpha");
    let ended = world.faults.until_stopped(store.append(first_append())).await;
    if ended.is_some() {
        assert!(world.faults.pending() > 0, "the append ended with call {call} still to come");
    }
    ended.is_none()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a11_a_writer_may_stop_at_every_call() {
    a_writer_may_stop(AccountPlace::Embedded).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a11_a_writer_may_stop_at_every_call_over_our_gateway() {
    a_writer_may_stop(AccountPlace::Gateway).await;
}

async fn a_writer_may_stop(place: AccountPlace) {
    let (mut cancelled, mut completed) = (0, 0);
    for fault in [Fault::StopBefore, Fault::StopAfter] {
        for call in 0.. {
            let world = World::account_at(place, AccountStoreOptions::default()).await;
            if !stop_at(&world, call, fault).await {
                break;
            }
            let what = format!("{fault:?} {call}");
            world.clock.travel(Duration::from_secs(31));
            let storage = without_faults(&world).await;
            let store = storage.factories().events.create_for_service("alpha").unwrap();
            match check(&store, &what).await.as_slice() {
                [] => cancelled += 1,
                [one, two] if one == "First" && two == "FirstToo" => completed += 1,
                other => panic!("{what}: {other:?}"),
            }
            // What was read is what a writer has to expect.
            let seen = store.latest_tag(&tag(TAGS[0])).await.unwrap();
            let seen = seen.map(|row| row.sortable_unique_id);
            let next = AppendRequest::new(vec![draft("Next", &[TAGS[0]])]);
            store.append(next.expecting([(tag(TAGS[0]), seen)])).await.unwrap();
            check(&store, &what).await;
            let report = storage.admin.repair(true).await.unwrap();
            assert_eq!((report.rolled_forward, report.cleared), (0, 0), "{what}: {report:?}");
        }
    }
    // Two heads are read, looked up and created; one event is written and one commits; two tags are completed.
    assert!(cancelled >= 14 && completed >= 5, "{cancelled} cancelled, {completed} completed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a11_a_second_writer_races_and_exactly_one_wins() {
    for fault in [Fault::StopBefore, Fault::StopAfter] {
        // More than an append makes: how many it makes depends on the race.
        for call in 0..25 {
            let world = World::account().await;
            let storage = without_faults(&world).await;
            let store = storage.factories().events.create_for_service("alpha").unwrap();
            let both = async {
                let second = append(&store, second_append);
                tokio::join!(stop_at(&world, call, fault), while_time_passes(&world, second))
            };
            let (_, second) = both.await;
            let what = format!("{fault:?} {call}");
            world.clock.travel(Duration::from_secs(31));
            let types = check(&store, &what).await;
            match second {
                Ok(_) => assert_eq!(types, ["Second"], "{what}"),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Conflict, "{what}: {error}");
                    assert_eq!(types, ["First", "FirstToo"], "{what}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repair_completes_what_was_left_and_a_dry_run_changes_nothing() {
    for (call, expected) in [(6, (0, 2)), (100, (0, 0))] {
        let world = World::account().await;
        stop_at(&world, call, Fault::StopAfter).await;
        world.clock.travel(Duration::from_secs(31));
        let storage = without_faults(&world).await;
        for is_dry_run in [true, true, false] {
            let report = storage.admin.repair(is_dry_run).await.unwrap();
            let found = (report.rolled_forward, report.cleared);
            assert_eq!(found, expected, "call {call}: {report:?}");
        }
        let report = storage.admin.repair(false).await.unwrap();
        assert_eq!((report.rolled_forward, report.cleared), (0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_can_be_tried_again_after_a_crash() {
    for fault in [Fault::StopBefore, Fault::StopAfter] {
        for call in 0..40 {
            let world = World::account().await;
            for _ in 0..call {
                world.faults.next(Fault::None);
            }
            world.faults.next(fault);
            let request = || {
                let events = vec![draft("First", &TAGS), draft("FirstToo", &[TAGS[0]])];
                AppendRequest::new(events).once("the key")
            };
            let store = world.events("alpha");
            let ended = world.faults.until_stopped(store.append(request())).await;
            let storage = without_faults(&world).await;
            let store = storage.factories().events.create_for_service("alpha").unwrap();
            let again = while_time_passes(&world, append(&store, request)).await.unwrap();
            world.clock.travel(Duration::from_secs(31));
            let what = format!("{fault:?} {call}");
            assert_eq!(check(&store, &what).await, ["First", "FirstToo"], "{what}");
            assert_eq!(again.events.len(), 2);
            if ended.is_some() {
                return;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_answers_and_refusals_of_the_network_change_nothing() {
    for fault in [Fault::LostResponse, Fault::Unavailable] {
        for call in 0.. {
            let world = World::account().await;
            for _ in 0..call {
                world.faults.next(Fault::None);
            }
            world.faults.next(fault);
            let store = world.events("alpha");
            store.append(first_append()).await.unwrap();
            let what = format!("{fault:?} {call}");
            let is_reached = world.faults.pending() == 0;
            world.clock.travel(Duration::from_secs(31));
            assert_eq!(check(&store, &what).await, ["First", "FirstToo"], "{what}");
            if !is_reached {
                break;
            }
        }
    }
}
