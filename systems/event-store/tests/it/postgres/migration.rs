//! Tables of a single-tenant program get tenants while it goes on writing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use client::Environment;
use event_store::{AppendRequest, ErrorKind, PostgresOptions, PostgresSchema};

use crate::postgres::TestDatabase;
use crate::world::{draft, tag};

const OLD_TABLES: &str = "CREATE TABLE events (id uuid NOT NULL CONSTRAINT events_pkey PRIMARY KEY, \
       sortable_unique_id varchar(100) NOT NULL, event_type text NOT NULL, payload json NOT NULL, \
       tags jsonb NOT NULL, timestamp timestamptz NOT NULL, causation_id text, correlation_id text, \
       executed_user text); \
     CREATE TABLE tags (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tag text NOT NULL, \
       tag_group text NOT NULL, event_type text NOT NULL, sortable_unique_id varchar(100) NOT NULL, \
       event_id uuid NOT NULL, created_at timestamptz NOT NULL, \
       CONSTRAINT tags_tag_sortable_unique_id_key UNIQUE (tag, sortable_unique_id));";

/// What the old program does: one event with one tag, without a tenant.
async fn write_old(client: &mut tokio_postgres::Client, number: u32) {
    let position = format!("0639{number:026}");
    let transaction = client.transaction().await.unwrap();
    let event = "INSERT INTO events (id, sortable_unique_id, event_type, payload, tags, timestamp) \
         VALUES (gen_random_uuid(), $1, 'Old', '{}', '[\"School:1\"]', now()) RETURNING id::text";
    let id: String = transaction.query_one(event, &[&position]).await.unwrap().get(0);
    let row = "INSERT INTO tags (tag, tag_group, event_type, sortable_unique_id, event_id, created_at) \
         VALUES ('School:1', 'School', 'Old', $1, $2::text::uuid, now())";
    transaction.execute(row, &[&position, &id]).await.unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a12_tables_are_migrated_while_an_old_program_writes() {
    let Some(database) = TestDatabase::create("dc_a12").await else { return };
    let mut client = database.connect().await;
    client.batch_execute(OLD_TABLES).await.unwrap();
    for number in 0..200 {
        write_old(&mut client, number).await;
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let writing = {
        let (is_over, mut client) = (Arc::clone(&is_over), database.connect().await);
        tokio::spawn(async move {
            let mut number = 1_000;
            while !is_over.load(Ordering::SeqCst) {
                // It panics if an insert fails.
                write_old(&mut client, number).await;
                number += 1;
            }
            number - 1_000
        })
    };
    let options = PostgresOptions::new(database.address());
    let schema = PostgresSchema::new(&options).unwrap();
    let report = schema.migrate().await.unwrap();
    assert_eq!(report.applied.len(), 13);
    assert!(schema.migrate().await.unwrap().applied.is_empty());
    // The old program still writes, with the new constraints.
    tokio::time::sleep(Duration::from_millis(50)).await;
    is_over.store(true, Ordering::SeqCst);
    let written = u64::from(writing.await.unwrap());
    let storage = super::open(&options, &Environment::system()).await;
    let store = storage.single_tenant().events;
    assert_eq!(store.event_count(None).await.unwrap(), 200 + written);
    let school = store.read_by_tag(&tag("School:1"), None).await.unwrap();
    assert_eq!(school.len() as u64, 200 + written);
    // Transactions of other tests on the server delay the feed.
    let (mut reader, mut seen) = (store.feed(None), 0);
    while seen < 200 + written {
        seen += reader.wait_for_page(Duration::from_millis(20)).await.unwrap().len() as u64;
    }
    assert_eq!(seen, 200 + written);
    let constraints = "SELECT conrelid::regclass::text || ': ' || pg_get_constraintdef(oid) FROM pg_constraint \
         WHERE contype IN ('p', 'u') AND conrelid IN ('events'::regclass, 'tags'::regclass, \
           'multi_projection_states'::regclass) ORDER BY 1";
    let rows = client.query(constraints, &[]).await.unwrap();
    let found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let expected = [
        "events: PRIMARY KEY (service_id, id)",
        "multi_projection_states: PRIMARY KEY (service_id, projector_name, projector_version)",
        "tags: PRIMARY KEY (id)",
        "tags: UNIQUE (service_id, tag, sortable_unique_id)",
    ];
    assert_eq!(found, expected);
    // While there is one tenant only, the way back is open; then the way forth again.
    schema.downgrade().await.unwrap();
    write_old(&mut client, 500).await;
    schema.migrate().await.unwrap();
    assert_eq!(store.event_count(None).await.unwrap(), 201 + written);
    let acme = storage.factories().events.create_for_service("acme").unwrap();
    acme.append(AppendRequest::new(vec![draft("New", &["School:1"])])).await.unwrap();
    assert_eq!(schema.downgrade().await.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(acme.event_count(None).await.unwrap(), 1);
    assert_eq!(store.event_count(None).await.unwrap(), 201 + written);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repair_restores_rows_that_another_program_left_out() {
    let Some(world) = super::world("a_repair_restores_rows").await else { return };
    let store = world.events("alpha");
    store.append(AppendRequest::new(vec![draft("One", &["A:1", "B:1"])])).await.unwrap();
    let client = world.database.as_ref().unwrap().connect().await;
    client.execute("DELETE FROM tags WHERE tag = 'B:1'", &[]).await.unwrap();
    for (is_dry_run, found) in [(true, 1), (false, 1), (false, 0)] {
        let report = world.storage.admin.repair(is_dry_run).await.unwrap();
        assert_eq!(report.rows_restored, found);
    }
    assert_eq!(store.read_by_tag(&tag("B:1"), None).await.unwrap().len(), 1);
}
