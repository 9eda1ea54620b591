//! One process at a time: the second is refused, a late one is fenced.

use std::time::Duration;

use planisphere_storage_postgres::{PostgresLocation, PostgresSettings, PostgresStore};
use storage::{ErrorKind, Read, Shard, Store, WriteSet};

use crate::cable::Cable;
use crate::database::{ITEMS, TestDatabase, small, start};

const SHARD: Shard = Shard(3);

fn put(value: &'static str) -> Vec<WriteSet> {
    let mut set = WriteSet::new();
    set.put(ITEMS, "key", value);
    vec![set]
}

#[tokio::test]
async fn a_store_in_use_is_refused_with_the_name_and_address_of_its_owner() {
    let name = "a_store_in_use_is_refused_with_the_name_and_address_of_its_owner";
    let Some(database) = TestDatabase::create(name).await else { return };
    assert_eq!(PostgresStore::owner(&database.location()).await.unwrap(), None);
    let settings = PostgresSettings { address: "http://here:1".to_owned(), ..small() };
    let first = PostgresStore::open(&database.location(), settings).await.unwrap();
    let error = PostgresStore::open(&database.location(), small()).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::CannotOpen);
    let expected = format!("process {} on", std::process::id());
    assert!(error.to_string().contains(&expected), "{error}");
    assert!(error.to_string().contains("at http://here:1 has it open"), "{error}");
    let owner = PostgresStore::owner(&database.location()).await.unwrap().unwrap();
    assert_eq!(owner.address, "http://here:1");
    first.close().await.unwrap();
    // A closed store is free at once.
    database.open().await.close().await.unwrap();
}

#[tokio::test]
async fn a_process_that_wakes_up_late_writes_and_reads_nothing() {
    let name = "a_process_that_wakes_up_late_writes_and_reads_nothing";
    let Some(database) = TestDatabase::create(name).await else { return };
    let late = database.open().await;
    late.commit(SHARD, put("first")).await.unwrap();
    // As if it had slept through its lease: nobody renewed it.
    let client = database.client().await;
    client.batch_execute("UPDATE planisphere.owner SET renewed_at = '-infinity'").await.unwrap();
    let next = database.open().await;
    let error = late.commit(SHARD, put("late")).await.unwrap_err();
    assert!(error.to_string().contains("no longer holds the lease"), "{error}");
    // A shard that nobody has written yet is fenced as well.
    assert!(late.commit(Shard(9), put("late")).await.is_err());
    assert!(late.get(SHARD, ITEMS, b"key").await.is_err());
    late.lease_lost().await;
    assert_eq!(next.get(SHARD, ITEMS, b"key").await.unwrap().unwrap(), "first");
    assert_eq!(next.get(Shard(9), ITEMS, b"key").await.unwrap(), None);
    next.commit(SHARD, put("next")).await.unwrap();
    // Closing the late one must not release the lease of the next.
    let _ = late.close().await;
    assert!(PostgresStore::open(&database.location(), small()).await.is_err());
    next.close().await.unwrap();
}

#[tokio::test]
async fn a_lease_is_renewed_while_the_store_is_open() {
    let Some(database) = TestDatabase::create("a_lease_is_renewed_while_the_store_is_open").await
    else {
        return;
    };
    let url = format!("{}?lease_ms=500", database.url());
    let location = PostgresLocation::parse(&url).unwrap();
    let store = PostgresStore::open(&location, small()).await.unwrap();
    let client = database.client().await;
    let renewed = "SELECT renewed_at::text FROM planisphere.owner";
    let first: String = client.query_one(renewed, &[]).await.unwrap().get(0);
    while client.query_one(renewed, &[]).await.unwrap().get::<_, String>(0) == first {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(PostgresStore::open(&location, small()).await.is_err());
    store.commit(SHARD, put("still")).await.unwrap();
    store.close().await.unwrap();
}

/// Before the fix, each call opened a connection and abandoned it. Under many callers the server was so busy with them
/// that the lease was never renewed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_whose_lease_is_over_opens_no_connection_for_its_callers() {
    let name = "a_process_whose_lease_is_over_opens_no_connection_for_its_callers";
    let Some(server) = start(name, &["listen_addresses=127.0.0.1"]) else { return };
    let cable = Cable::to(server.port()).await;
    let url = format!(
        "postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable&lease_ms=500",
        cable.port()
    );
    let location = PostgresLocation::parse(&url).unwrap();
    let store = PostgresStore::open(&location, small()).await.unwrap();
    store.commit(SHARD, put("before")).await.unwrap();
    cable.cut();
    while store.get(SHARD, ITEMS, b"key").await.is_ok() {}
    let before = cable.connections();
    for _ in 0..200 {
        assert!(store.get(SHARD, ITEMS, b"key").await.is_err());
        assert!(store.snapshot().await.is_err());
        assert!(store.commit(SHARD, put("meanwhile")).await.is_err());
    }
    // Those of the renewal, and of the probe that looks whether writes succeed again.
    let opened = cable.connections() - before;
    assert!(opened < 100, "{opened} connections for 600 calls");
    cable.mend();
    while store.commit(SHARD, put("after")).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(store.get(SHARD, ITEMS, b"key").await.unwrap().unwrap(), "after");
    store.close().await.unwrap();
}
