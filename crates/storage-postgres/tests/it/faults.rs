//! Connections that end, servers that restart, replicas that are promoted.

use std::sync::Arc;
use std::time::Duration;

use planisphere_storage_postgres::{PostgresLocation, PostgresStore};
use scratch_postgres::StopMode;
use storage::{ErrorKind, Guard, Read, Shard, Stamp, StorageValue, Store, WriteSet};

use crate::database::{ITEMS, TestDatabase, small, start};

const SHARD: Shard = Shard(3);

/// Increments a counter under a guard and logs each value under its stamp, until it has reached `end`. After an error
/// the counter is read again, as the writer of a partition does.
pub(crate) async fn count_to(store: &PostgresStore, end: u64) -> u64 {
    let mut failures = 0;
    loop {
        let Ok(stored) = store.get(SHARD, ITEMS, b"count").await else {
            failures += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let count =
            stored.as_deref().map_or(0, |bytes| u64::from_be_bytes(bytes.try_into().unwrap()));
        if count == end {
            return failures;
        }
        let mut set = WriteSet::new();
        set.guard(ITEMS, "count", stored.map_or(Guard::Absent, Guard::Unchanged));
        set.put(ITEMS, "count", StorageValue::copy_from_slice(&(count + 1).to_be_bytes()));
        let key = [b"log".as_slice(), &[0; 8]].concat();
        set.put_stamped(
            ITEMS,
            key,
            StorageValue::copy_from_slice(&(count + 1).to_be_bytes()),
            Some(3),
            None,
        );
        match store.commit(SHARD, vec![set]).await {
            Ok(_) => {}
            Err(error) if *error.kind() == ErrorKind::Device => failures += 1,
            Err(error) => panic!("{}", error.full_message()),
        }
    }
}

/// Every value was logged once, in the order of stamps.
pub(crate) async fn check_log(store: &PostgresStore, end: u64) {
    let scan = storage::Scan::forward(
        storage::KeyRange::prefix(b"log"),
        storage::ScanLimit::entries(usize::MAX),
    );
    let entries = store.scan(SHARD, ITEMS, &scan).await.unwrap().entries;
    let values: Vec<u64> = entries
        .iter()
        .map(|entry| u64::from_be_bytes(entry.value.as_ref().try_into().unwrap()))
        .collect();
    assert_eq!(values, (1..=end).collect::<Vec<_>>());
    let last = &entries.last().unwrap().key[3..];
    assert_eq!(
        store.last_stamp(SHARD).await.unwrap(),
        Stamp(u64::from_be_bytes(last.try_into().unwrap()))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_connections_lose_and_repeat_nothing() {
    let name = "terminated_connections_lose_and_repeat_nothing";
    let Some(database) = TestDatabase::create(name).await else { return };
    let store = database.open().await;
    let counting = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { count_to(&store, 600).await })
    };
    let client = database.client().await;
    let terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid()";
    // Often, because a connection that ends between two commits is replaced without a failure.
    for _ in 0..60 {
        client.batch_execute(terminate).await.unwrap();
        tokio::time::sleep(Duration::from_millis(15)).await;
    }
    assert!(counting.await.unwrap() > 0, "no connection ended in time");
    check_log(&store, 600).await;
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_crashes_and_starts_again_loses_and_repeats_nothing() {
    let name = "a_server_that_crashes_and_starts_again_loses_and_repeats_nothing";
    let Some(mut server) = start(name, &[]) else { return };
    let location = PostgresLocation::parse(&server.url("postgres", "postgres")).unwrap();
    let store = PostgresStore::open(&location, small()).await.unwrap();
    let counting = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { count_to(&store, 400).await })
    };
    for mode in [StopMode::Immediate, StopMode::Fast] {
        tokio::time::sleep(Duration::from_millis(150)).await;
        server.stop(mode).unwrap();
        server.start_again().unwrap();
    }
    counting.await.unwrap();
    check_log(&store, 400).await;
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promoted_replica_has_every_acknowledged_commit() {
    let name = "a_promoted_replica_has_every_acknowledged_commit";
    let settings = ["listen_addresses=127.0.0.1", "synchronous_standby_names=standby"];
    let Some(mut primary) = start(name, &settings[..1]) else { return };
    let replica = primary.replica("standby", &["fsync=off", "listen_addresses=127.0.0.1"]).unwrap();
    let client = crate::database::connect(&primary.address("postgres", "postgres")).await;
    client.batch_execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'").await.unwrap();
    client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?sslmode=disable",
        primary.port(),
        replica.port()
    );
    let store =
        PostgresStore::open(&PostgresLocation::parse(&url).unwrap(), small()).await.unwrap();
    let counting = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { count_to(&store, 300).await })
    };
    tokio::time::sleep(Duration::from_millis(200)).await;
    primary.stop(StopMode::Immediate).unwrap();
    replica.promote().unwrap();
    counting.await.unwrap();
    check_log(&store, 300).await;
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_base_backup_is_a_store() {
    let Some(server) = start("a_base_backup_is_a_store", &["wal_level=replica"]) else { return };
    let location = PostgresLocation::parse(&server.url("postgres", "postgres")).unwrap();
    let store = PostgresStore::open(&location, small()).await.unwrap();
    count_to(&store, 20).await;
    store.close().await.unwrap();
    let copy = server.backup(&["fsync=off"]).unwrap();
    let location = PostgresLocation::parse(&copy.url("postgres", "postgres")).unwrap();
    let store = PostgresStore::open(&location, small()).await.unwrap();
    check_log(&store, 20).await;
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_snapshot_abandoned_while_it_begins_shows_no_old_state_to_the_next() {
    let name = "a_snapshot_abandoned_while_it_begins_shows_no_old_state_to_the_next";
    let Some(database) = TestDatabase::create(name).await else { return };
    let store = database.open().await;
    for round in 0..40_u8 {
        // Sent, and not waited for: as when the client of a query goes away.
        tokio::select! {
            biased;
            begun = store.snapshot() => drop(begun),
            () = tokio::time::sleep(Duration::from_micros(200 * u64::from(round % 8))) => {}
        }
        let mut set = WriteSet::new();
        set.put(ITEMS, "round", vec![round]);
        store.commit(SHARD, vec![set]).await.unwrap();
        let snapshot = store.snapshot().await.unwrap();
        let seen = snapshot.get(SHARD, ITEMS, b"round").await.unwrap().unwrap();
        assert_eq!(seen.as_ref(), [round], "a snapshot showed an older state");
    }
    store.close().await.unwrap();
}
