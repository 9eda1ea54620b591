//! Conditions of appends: versions of tags, and queries.

use event_store::{
    AppendRequest, DomainEvent, ErrorKind, EventProjector, EventQuery, EventRead, EventStore,
    SortableUniqueId,
};
use serde::{Deserialize, Serialize};

use crate::world::{World, draft, tag};

pub(crate) async fn an_expected_version_is_checked(world: &World) {
    let store = world.events("alpha");
    let one = tag("Student:1");
    let created = AppendRequest::new(vec![draft("Created", &["Student:1"])]);
    let created = created.expecting([(one.clone(), None)]);
    let receipt = store.append(created.clone()).await.unwrap();
    let version = receipt.events[0].sortable_unique_id.clone();
    let error = store.append(created).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let conflict = &error.conflicts()[0];
    assert_eq!((&conflict.tag, &conflict.expected), (&one, &None));
    assert_eq!(conflict.actual.as_ref(), Some(&version));
    let renamed = AppendRequest::new(vec![draft("Renamed", &["Student:1"])]);
    // A tag of the condition that no event has.
    let other = tag("Class:1");
    let both = [(one.clone(), Some(version.clone())), (other.clone(), None)];
    store.append(renamed.clone().expecting(both)).await.unwrap();
    let late = renamed.expecting([(one, Some(version)), (other.clone(), None)]);
    let error = store.append(late).await.unwrap_err();
    assert_eq!((error.kind(), error.conflicts().len()), (ErrorKind::Conflict, 1));
    assert!(!store.tag_exists(&other).await.unwrap());
    assert_eq!(store.event_count(None).await.unwrap(), 2);
}

async fn version(store: &EventStore, name: &str) -> Option<SortableUniqueId> {
    store.latest_tag(&tag(name)).await.unwrap().map(|row| row.sortable_unique_id)
}

pub(crate) async fn dc_a9_one_of_fifty_writers_wins_and_all_get_their_turn(world: &World) {
    let store = world.events("alpha");
    let seen = version(&store, "Seat:1").await;
    let once = (0..50).map(|writer| {
        let request = AppendRequest::new(vec![draft(&format!("Taken{writer}"), &["Seat:1"])]);
        let request = request.expecting([(tag("Seat:1"), seen.clone())]);
        let store = store.clone();
        tokio::spawn(async move { store.append(request).await })
    });
    let once: Vec<_> = once.collect();
    let mut won = 0;
    for writer in once {
        match writer.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
        }
    }
    assert_eq!(won, 1);
    // Over HTTP each attempt is slow, and there are as many as the square of the writers.
    let is_remote = world.account.as_ref().is_some_and(client::Account::is_connected);
    let writers = if is_remote { 10 } else { 50 };
    let retrying: Vec<_> = (1..writers)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                loop {
                    let seen = version(&store, "Seat:1").await;
                    let event = draft(&format!("Again{writer}"), &["Seat:1"]);
                    let request = AppendRequest::new(vec![event]);
                    match store.append(request.expecting([(tag("Seat:1"), seen)])).await {
                        Ok(_) => return,
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
                    }
                }
            })
        })
        .collect();
    for writer in retrying {
        writer.await.unwrap();
    }
    let events = store.read_by_tag(&tag("Seat:1"), None).await.unwrap();
    assert_eq!(events.len(), writers);
    assert!(events.is_sorted_by(|a, b| a.sortable_unique_id < b.sortable_unique_id));
}

pub(crate) async fn dc_a10_writers_of_two_tags_neither_deadlock_nor_lose_updates(world: &World) {
    let store = world.events("alpha");
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let store = store.clone();
            let names = if writer % 2 == 0 { ["A:1", "B:1"] } else { ["B:1", "A:1"] };
            tokio::spawn(async move {
                let mut done = 0;
                while done < 5 {
                    let mut seen = Vec::new();
                    for name in names {
                        seen.push((tag(name), version(&store, name).await));
                    }
                    let request = AppendRequest::new(vec![draft("Moved", &names)]);
                    match store.append(request.expecting(seen)).await {
                        Ok(_) => done += 1,
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let a = store.read_by_tag(&tag("A:1"), None).await.unwrap();
    let b = store.read_by_tag(&tag("B:1"), None).await.unwrap();
    assert_eq!((a.len(), &a), (30, &b));
}

pub(crate) async fn a_query_condition_sees_only_matching_events(world: &World) {
    let store = world.events("alpha");
    let name = tag("Name:ann");
    let unique = EventQuery::item(&["Registered", "Renamed"], vec![name.clone()]);
    let register = || {
        let request = AppendRequest::new(vec![draft("Registered", &["Name:ann", "User:1"])]);
        request.unless_matching(unique.clone(), None)
    };
    // Other types and other tags do not match.
    for event in [draft("Noted", &["Name:ann"]), draft("Registered", &["Name:bob"])] {
        store.append(AppendRequest::new(vec![event])).await.unwrap();
    }
    store.append(register()).await.unwrap();
    let error = store.append(register()).await.unwrap_err();
    assert_eq!((error.kind(), error.conflicts().len()), (ErrorKind::Conflict, 0));
    // All tags of an item are needed.
    let both = EventQuery::item(&[], vec![name, tag("User:2")]);
    let second = AppendRequest::new(vec![draft("Registered", &["User:2"])]);
    store.append(second.clone().unless_matching(both.clone(), None)).await.unwrap();
    let either = both.or(&["Registered"], vec![tag("User:1")]);
    let error = store.append(second.unless_matching(either, None)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
}

pub(crate) async fn what_was_read_is_the_condition(world: &World) {
    let store = world.events("alpha");
    for event in [draft("Opened", &["Box:1"]), draft("Opened", &["Box:2"])] {
        store.append(AppendRequest::new(vec![event])).await.unwrap();
    }
    let query = EventQuery::tag(tag("Box:1")).or(&["Opened"], vec![tag("Box:2")]);
    let read = EventRead { query: query.clone(), ..EventRead::default() };
    let page = store.read(&read).await.unwrap();
    assert_eq!(page.events.len(), 2);
    let close = AppendRequest::new(vec![draft("Closed", &["Box:1"])]);
    let close = close.unless_matching(query.clone(), Some(page.position.clone()));
    // A position survives as text.
    let text = page.position.to_string();
    assert_eq!(event_store::ReadPosition::parse(&text).unwrap(), page.position);
    store.append(AppendRequest::new(vec![draft("Moved", &["Box:2"])])).await.unwrap();
    store.append(close.clone()).await.unwrap();
    let error = store.append(close).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "its own event matches now");
    let page = store.read(&read).await.unwrap();
    let again = AppendRequest::new(vec![draft("Opened", &["Box:1"])]);
    store.append(again.unless_matching(query, Some(page.position))).await.unwrap();
}

struct Counter;

#[derive(Clone, Default, Serialize, Deserialize)]
struct Count(u32);

impl EventProjector for Counter {
    type State = Count;

    fn name(&self) -> &'static str {
        "Counter"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn apply(&self, state: &mut Count, _: &DomainEvent) -> event_store::Result<()> {
        state.0 += 1;
        Ok(())
    }
}

pub(crate) async fn a_command_depends_on_what_it_read(world: &World) {
    let store = world.events("alpha");
    let account = tag("Account:1");
    let mut slow = store.begin_command().executed_by("ann");
    assert_eq!(slow.state(&Counter, &account).await.unwrap().0, 0);
    let mut fast = store.begin_command();
    assert_eq!(fast.state(&Counter, &account).await.unwrap().0, 0);
    assert!(!fast.tag_exists(&tag("Account:2")).await.unwrap());
    fast.append(draft("Opened", &["Account:1"]));
    assert!(fast.commit().await.unwrap().is_some());
    slow.append(draft("Opened", &["Account:1"]));
    assert_eq!(slow.commit().await.unwrap_err().kind(), ErrorKind::Conflict);
    let mut idle = store.begin_command();
    assert_eq!(idle.state(&Counter, &account).await.unwrap().0, 1);
    assert!(idle.commit().await.unwrap().is_none());
    assert_eq!(store.event_count(None).await.unwrap(), 1);
}
