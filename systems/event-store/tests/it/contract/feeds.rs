//! Feeds and consumer groups.

use std::collections::BTreeSet;
use std::time::Duration;

use event_store::{AppendRequest, ConsumerGroup, ErrorKind, FeedPosition};

use crate::world::{World, draft};

const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_secs(30);

pub(crate) async fn a_feed_returns_every_event_once(world: &World) {
    let store = world.events("alpha");
    let mut reader = store.feed(None);
    assert!(reader.wait_for_page(SHORT).await.unwrap().is_empty());
    let mut seen = Vec::new();
    for round in 0..4 {
        for _ in 0..5 {
            store.append(AppendRequest::new(vec![draft("Happened", &["Tag:1"])])).await.unwrap();
        }
        if round == 2 {
            world.clock.travel(Duration::from_secs(60));
        }
        while seen.len() < (round + 1) * 5 {
            seen.extend(reader.wait_for_page(LONG).await.unwrap());
        }
    }
    let ids: BTreeSet<_> = seen.iter().map(|event| event.id).collect();
    assert_eq!((seen.len(), ids.len()), (20, 20));
    assert!(reader.next_page().await.unwrap().is_empty());
    // A reader that resumes gets what is new, and perhaps some events again, but leaves out none.
    let mut resumed = store.feed(reader.position().cloned());
    let again = resumed.next_page().await.unwrap();
    assert!(again.iter().all(|event| ids.contains(&event.id)));
    let new = store.append(AppendRequest::new(vec![draft("New", &[])])).await.unwrap();
    let mut found = Vec::new();
    while !found.iter().any(|event: &event_store::DomainEvent| event.id == new.events[0].id) {
        found.extend(resumed.wait_for_page(LONG).await.unwrap());
    }
    assert_eq!(found.len(), 1);
    let mut wrong = store.feed(Some(FeedPosition::from_text("elsewhere")));
    assert_eq!(wrong.next_page().await.unwrap_err().kind(), ErrorKind::Invalid);
}

pub(crate) async fn a_reader_can_start_at_the_end(world: &World) {
    let store = world.events("alpha");
    store.append(AppendRequest::new(vec![draft("Old", &[])])).await.unwrap();
    world.clock.travel(Duration::from_secs(60));
    let mut reader = store.feed_from_end().await.unwrap();
    let new = store.append(AppendRequest::new(vec![draft("New", &[])])).await.unwrap();
    let mut found = Vec::new();
    while found.is_empty() {
        found = reader.wait_for_page(LONG).await.unwrap();
    }
    // On PostgreSQL a transaction that was open at the start may bring the old one, too.
    assert!(found.iter().any(|event| event.id == new.events[0].id));
}

pub(crate) async fn a_receipt_is_committed_by_another_process(world: &World) {
    let scope = world.scope("alpha");
    let open = async || {
        let group = ConsumerGroup::open("mailer", &scope.events, &scope.states).await.unwrap();
        group.with_page_events(2)
    };
    let mut expected = Vec::new();
    for _ in 0..5 {
        let request = AppendRequest::new(vec![draft("Happened", &[])]);
        expected.push(scope.events.append(request).await.unwrap().events[0].id);
    }
    let mut received = Vec::new();
    while received.len() < 5 {
        // A process of its own for each call; within the safe window nothing comes twice.
        let mut reader = open().await;
        let events = reader.receive(SHORT).await.unwrap();
        assert!(events.len() <= 2, "{}", events.len());
        received.extend(events.iter().map(|event| event.id));
        let receipt = reader.receipt();
        let mut other = open().await;
        other.commit_receipt(&receipt).await.unwrap();
        if !events.is_empty() {
            let late = open().await.commit_receipt(&receipt).await.unwrap_err();
            assert_eq!(late.kind(), ErrorKind::Conflict);
        }
    }
    assert_eq!(received, expected);
    assert!(open().await.receive(SHORT).await.unwrap().is_empty());
    let groups = ConsumerGroup::list(&scope.states).await.unwrap();
    assert_eq!((groups.len(), groups[0].events_processed), (1, 5));
    assert!(ConsumerGroup::delete("mailer", &scope.states).await.unwrap());
    assert!(!ConsumerGroup::delete("mailer", &scope.states).await.unwrap());
    let mut again = open().await;
    let mut first = Vec::new();
    while first.is_empty() {
        first = again.receive(SHORT).await.unwrap();
    }
    assert_eq!(first[0].id, expected[0]);
}

pub(crate) async fn a_group_goes_on_where_it_committed(world: &World) {
    let scope = world.scope("alpha");
    let append = async || {
        let request = AppendRequest::new(vec![draft("Happened", &[])]);
        scope.events.append(request).await.unwrap().events[0].id
    };
    let mut group = ConsumerGroup::open("mailer", &scope.events, &scope.states).await.unwrap();
    let first = append().await;
    // Behind the safe window of every storage, so that the position can move past it.
    world.clock.travel(Duration::from_secs(60));
    let mut received = Vec::new();
    while received.is_empty() {
        received = group.receive(LONG).await.unwrap();
    }
    assert_eq!(received[0].id, first);
    group.commit().await.unwrap();
    let mut other = ConsumerGroup::open("mailer", &scope.events, &scope.states).await.unwrap();
    let second = append().await;
    let mut received = Vec::new();
    while received.is_empty() {
        received = other.receive(LONG).await.unwrap();
    }
    assert_eq!(received.iter().map(|event| event.id).collect::<Vec<_>>(), [second]);
    other.commit().await.unwrap();
    assert_eq!(group.commit().await.unwrap_err().kind(), ErrorKind::Conflict);
    let beta = world.scope("beta");
    let mut foreign = ConsumerGroup::open("mailer", &beta.events, &beta.states).await.unwrap();
    assert!(foreign.receive(SHORT).await.unwrap().is_empty());
    let wrong = ConsumerGroup::open("a/b", &scope.events, &scope.states).await.unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::Invalid);
}
