//! Following events while transactions are open, and being woken by other processes.

use std::time::Duration;

use client::Environment;
use event_store::{AppendRequest, EventQuery, EventRead, PostgresOptions};

use crate::world::{draft, tag};

const LATE: &str = "INSERT INTO events (id, service_id, sortable_unique_id, event_type, payload, tags, timestamp) \
     VALUES (gen_random_uuid(), 'alpha', lpad($1, 30, '0'), 'Late', '{}', '[\"Late:1\"]', now())";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_commits_late_is_delayed_and_never_left_out() {
    let Some(world) = super::world("an_event_that_commits_late").await else { return };
    let store = world.events("alpha");
    let mut reader = store.feed(None);
    // Its position is before those of all others, and it is not committed.
    let mut slow = world.database.as_ref().unwrap().connect().await;
    let late = slow.transaction().await.unwrap();
    late.execute(LATE, &[&"1"]).await.unwrap();
    for _ in 0..3 {
        store.append(AppendRequest::new(vec![draft("Fast", &[])])).await.unwrap();
    }
    // A read by position sees the fast ones; a reader that went on behind them would leave out the late one.
    assert_eq!(store.read_all(None, None).await.unwrap().len(), 3);
    assert!(
        reader.next_page().await.unwrap().is_empty(),
        "the feed waits for the open transaction"
    );
    late.commit().await.unwrap();
    // Transactions of other databases of the server delay the feed, too.
    let mut seen = Vec::new();
    while seen.len() < 4 {
        seen.extend(reader.wait_for_page(Duration::from_millis(20)).await.unwrap());
    }
    let types: Vec<_> = seen.iter().map(|event| event.event_type.as_str()).collect();
    assert_eq!(types, ["Late", "Fast", "Fast", "Fast"]);
    assert!(reader.next_page().await.unwrap().is_empty());
    // Many readers and writers, with transactions of all lengths.
    let writers: Vec<_> = (0..4)
        .map(|writer: u32| {
            let store = store.clone();
            let address = world.database.as_ref().unwrap().address();
            tokio::spawn(async move {
                let (mut slow, connection) =
                    tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                for round in 0..8u32 {
                    let late = slow.transaction().await.unwrap();
                    let number = format!("{}", 100 + writer * 100 + round);
                    late.execute(LATE, &[&number]).await.unwrap();
                    store.append(AppendRequest::new(vec![draft("Fast", &[])])).await.unwrap();
                    tokio::time::sleep(Duration::from_millis(u64::from(writer) * 3)).await;
                    late.commit().await.unwrap();
                }
            })
        })
        .collect();
    let mut seen = Vec::new();
    while seen.len() < 64 {
        seen.extend(reader.wait_for_page(Duration::from_millis(20)).await.unwrap());
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let mut ids: Vec<_> = seen.iter().map(|event| event.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((seen.len(), ids.len()), (64, 64));
    assert_eq!(store.event_count(None).await.unwrap(), 68);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_condition_without_tags_sees_an_event_that_commits_late() {
    let Some(world) = super::world("a_condition_without_tags").await else { return };
    let store = world.events("alpha");
    store.append(AppendRequest::new(vec![draft("Fast", &[])])).await.unwrap();
    let mut slow = world.database.as_ref().unwrap().connect().await;
    let late = slow.transaction().await.unwrap();
    late.execute(LATE, &[&"1"]).await.unwrap();
    let query = EventQuery::item(&["Late"], Vec::new());
    let read = EventRead { query: query.clone(), ..EventRead::default() };
    let page = store.read(&read).await.unwrap();
    assert!(page.events.is_empty());
    late.commit().await.unwrap();
    // Its position lies before everything that was read.
    let request = AppendRequest::new(vec![draft("Decided", &[])]);
    let request = request.unless_matching(query.clone(), Some(page.position));
    let error = store.append(request.clone()).await.unwrap_err();
    assert_eq!(error.kind(), event_store::ErrorKind::Conflict);
    let page = store.read(&read).await.unwrap();
    assert_eq!(page.events.len(), 1);
    let request = AppendRequest::new(vec![draft("Decided", &[])]);
    store.append(request.unless_matching(query, Some(page.position))).await.unwrap();
    let unseen = AppendRequest::new(vec![draft("Decided", &[])]);
    let unseen = unseen.unless_matching(EventQuery::all(), None);
    assert_eq!(store.append(unseen).await.unwrap_err().kind(), event_store::ErrorKind::Conflict);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_is_woken_by_another_process() {
    let Some(world) = super::world("a_reader_is_woken").await else { return };
    let store = world.events("alpha");
    let mut woken = store.signal().receiver();
    let options = PostgresOptions::new(world.database.as_ref().unwrap().address());
    let other = super::open(&options, &Environment::system()).await;
    let other = other.factories().events.create_for_service("alpha").unwrap();
    // Twice: the connection that listens begins with a signal of its own. The second one can only come from an append.
    for _ in 0..2 {
        woken.mark_unchanged();
        let appending = async {
            loop {
                let request = AppendRequest::new(vec![draft("Other", &["Late:1"])]);
                other.append(request).await.unwrap();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! {
            changed = woken.changed() => changed.unwrap(),
            () = appending => unreachable!("it appends for ever"),
        }
    }
    assert!(!store.read_by_tag(&tag("Late:1"), None).await.unwrap().is_empty());
}
