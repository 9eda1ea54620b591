//! What cannot be opened says why, and is not changed.

use planisphere_storage_postgres::{PostgresLocation, PostgresStore};
use scratch_postgres::ScratchPostgres;
use storage::{ErrorKind, Read, Shard, Store, WriteSet};

use crate::database::{ITEMS, TestDatabase, connect, small, start};

/// Opens and returns the refusal.
async fn refusal(url: &str) -> String {
    let location = PostgresLocation::parse(url).unwrap();
    let error = PostgresStore::open(&location, small()).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::CannotOpen, "{}", error.full_message());
    error.full_message()
}

/// Every relation and function outside of the system, to compare before and after.
async fn objects(database: &TestDatabase) -> Vec<String> {
    let text = "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' \
                UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' ORDER BY 1";
    let rows = database.client().await.query(text, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_wrong_password_is_refused() {
    let settings = ["fsync=off", "listen_addresses=127.0.0.1"];
    let Some(server) = ScratchPostgres::start_with(&settings, "scram-sha-256").unwrap() else {
        drop(start("a_wrong_password_is_refused", &[]));
        return;
    };
    let client = connect(&server.address("postgres", "postgres")).await;
    client.batch_execute("CREATE ROLE ann LOGIN PASSWORD 'right'").await.unwrap();
    let url = format!("postgres://ann:wrong@127.0.0.1:{}/postgres?sslmode=disable", server.port());
    let message = refusal(&url).await;
    assert!(
        message.contains("the server refuses the role \"ann\": the password is wrong"),
        "{message}"
    );
    assert!(!message.contains("wrong@"), "{message}");
}

#[tokio::test]
async fn missing_rights_are_named_and_nothing_is_created() {
    let name = "missing_rights_are_named_and_nothing_is_created";
    let Some(database) = TestDatabase::create(name).await else { return };
    let client = database.client().await;
    client.batch_execute("CREATE ROLE reader_only LOGIN").await.unwrap();
    let before = objects(&database).await;
    let message = refusal(&database.server().url("reader_only", database.name())).await;
    assert!(message.contains("the role \"reader_only\" lacks a right"), "{message}");
    assert!(message.contains("GRANT CREATE ON DATABASE"), "{message}");
    assert_eq!(objects(&database).await, before);
}

#[tokio::test]
async fn a_missing_database_and_a_missing_server_are_different_refusals() {
    let name = "a_missing_database_and_a_missing_server_are_different_refusals";
    let Some(database) = TestDatabase::create(name).await else { return };
    let message = refusal(&database.server().url("postgres", "nowhere")).await;
    assert!(message.contains("there is no database \"nowhere\""), "{message}");
    let message = refusal("postgres://postgres@127.0.0.1:1/postgres").await;
    assert!(message.contains("the server cannot be reached"), "{message}");
}

#[tokio::test]
async fn a_database_of_another_encoding_is_refused() {
    let Some(database) = TestDatabase::create("a_database_of_another_encoding_is_refused").await
    else {
        return;
    };
    let client = database.client().await;
    let create =
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'";
    client.batch_execute(create).await.unwrap();
    let message = refusal(&database.server().url("postgres", "latin")).await;
    assert!(message.contains("the database has the encoding LATIN1"), "{message}");
}

#[tokio::test]
async fn a_schema_of_something_else_is_refused_and_left_alone() {
    let name = "a_schema_of_something_else_is_refused_and_left_alone";
    let Some(database) = TestDatabase::create(name).await else { return };
    let client = database.client().await;
    for create in [
        "CREATE SCHEMA planisphere; CREATE TABLE planisphere.customers (id int)",
        "CREATE TABLE planisphere.format (product text, version int, distribution text); \
         INSERT INTO planisphere.format VALUES ('another product', 1, 'one server')",
    ] {
        client.batch_execute(create).await.unwrap();
        let before = objects(&database).await;
        let message = refusal(&database.url()).await;
        assert!(message.contains("the schema planisphere holds something else"), "{message}");
        assert_eq!(objects(&database).await, before);
    }
}

#[tokio::test]
async fn a_newer_format_is_refused_and_its_data_stays() {
    let Some(database) = TestDatabase::create("a_newer_format_is_refused_and_its_data_stays").await
    else {
        return;
    };
    let store = database.open().await;
    let mut set = WriteSet::new();
    set.put(ITEMS, "key", "value");
    store.commit(Shard(1), vec![set]).await.unwrap();
    store.close().await.unwrap();
    let client = database.client().await;
    client.batch_execute("UPDATE planisphere.format SET version = 99").await.unwrap();
    let message = refusal(&database.url()).await;
    assert!(message.contains("format version 99 by a newer version"), "{message}");
    client.batch_execute("UPDATE planisphere.format SET version = 1").await.unwrap();
    let store = database.open().await;
    assert_eq!(store.get(Shard(1), ITEMS, b"key").await.unwrap().unwrap(), "value");
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_missing_extension_is_refused_and_nothing_is_created() {
    let name = "a_missing_extension_is_refused_and_nothing_is_created";
    let Some(database) = TestDatabase::create(name).await else { return };
    let before = objects(&database).await;
    let message = refusal(&format!("{}?citus=on", database.url())).await;
    assert!(message.contains("the database lacks the extension citus"), "{message}");
    assert_eq!(objects(&database).await, before);
    database.open().await.close().await.unwrap();
    let message = refusal(&format!("{}?citus=on", database.url())).await;
    assert!(message.contains("remove citus=on from the address"), "{message}");
}

#[tokio::test]
async fn a_database_without_a_store_stays_without_if_none_may_be_created() {
    let name = "a_database_without_a_store_stays_without_if_none_may_be_created";
    let Some(database) = TestDatabase::create(name).await else { return };
    let before = objects(&database).await;
    let settings = planisphere_storage_postgres::PostgresSettings { creates: false, ..small() };
    let error = PostgresStore::open(&database.location(), settings).await.unwrap_err();
    assert!(error.to_string().contains("it does not contain a store"), "{error}");
    assert_eq!(objects(&database).await, before);
}

#[tokio::test]
async fn a_replica_is_refused_by_name() {
    let Some(primary) = start("a_replica_is_refused_by_name", &["wal_level=replica"]) else {
        return;
    };
    let replica = primary.replica("r", &["fsync=off"]).unwrap();
    let message = refusal(&replica.url("postgres", "postgres")).await;
    assert!(message.contains("it is a replica"), "{message}");
}

#[tokio::test]
async fn a_full_disk_refuses_the_write_and_recovers() {
    let Some(database) = TestDatabase::create("a_full_disk_refuses_the_write_and_recovers").await
    else {
        return;
    };
    let store = database.open().await;
    let put = |value: &'static str| {
        let mut set = WriteSet::new();
        set.put(ITEMS, "key", value);
        vec![set]
    };
    store.commit(Shard(1), put("before")).await.unwrap();
    // What the server says when a write finds no space, without filling the disk of the machine.
    let client = database.client().await;
    let full = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS \
                $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$; \
                CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON planisphere.entry EXECUTE FUNCTION full_disk()";
    client.batch_execute(full).await.unwrap();
    let error = store.commit(Shard(1), put("lost")).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Device);
    assert!(error.to_string().contains("no space left on its disk"), "{error}");
    assert!(store.write_failure().unwrap().contains("no space left"));
    assert_eq!(store.get(Shard(1), ITEMS, b"key").await.unwrap().unwrap(), "before");
    client.batch_execute("DROP TRIGGER full_disk ON planisphere.entry").await.unwrap();
    store.commit(Shard(1), put("after")).await.unwrap();
    assert_eq!(store.get(Shard(1), ITEMS, b"key").await.unwrap().unwrap(), "after");
    store.close().await.unwrap();
}
