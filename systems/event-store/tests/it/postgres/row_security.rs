//! Row level security: the database itself keeps tenants apart.

use client::Environment;
use event_store::{AppendRequest, PostgresOptions, PostgresSchema};

use crate::world::{draft, tag};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a13_the_database_refuses_rows_of_other_tenants() {
    let Some(world) = super::world("dc_a13").await else { return };
    let database = world.database.as_ref().unwrap();
    let owner = database.connect().await;
    // Roles are shared by the databases of the server.
    let role = format!("app_{}", std::process::id());
    owner.batch_execute(&format!("CREATE ROLE {role} LOGIN")).await.unwrap();
    let options = PostgresOptions::new(database.address());
    let schema = PostgresSchema::new(&options).unwrap();
    schema.enable_row_level_security(&role).await.unwrap();
    assert!(schema.enable_row_level_security("a; b").await.is_err());
    for service in ["alpha", "beta"] {
        let event = draft(&format!("Of-{service}"), &["A:1"]);
        world.events(service).append(AppendRequest::new(vec![event])).await.unwrap();
    }
    let address = database.address_as(&role);
    let (mut client, connection) =
        tokio_postgres::connect(&address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let count = "SELECT count(*) FROM events";
    let insert = "INSERT INTO events (id, service_id, sortable_unique_id, event_type, payload, tags, timestamp) \
         VALUES (gen_random_uuid(), $1, '1', 'Raw', '{}', '[]', now())";
    // Without a tenant: no rows, and no inserts.
    assert_eq!(client.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 0);
    assert!(client.execute(insert, &[&"alpha"]).await.is_err());
    // With one: only its rows.
    let transaction = client.transaction().await.unwrap();
    transaction.execute("SELECT set_config('app.service_id', 'alpha', true)", &[]).await.unwrap();
    assert_eq!(transaction.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 1);
    transaction.execute(insert, &[&"alpha"]).await.unwrap();
    assert!(transaction.execute(insert, &[&"beta"]).await.is_err());
    transaction.rollback().await.unwrap();
    assert_eq!(client.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 0, "it is gone");
    // The provider as that role, on one connection that both tenants use by turns.
    let single = PostgresOptions { connections_max: 1, ..PostgresOptions::new(address) };
    let storage = super::open(&single, &Environment::system()).await;
    let factories = storage.factories();
    for _ in 0..3 {
        for service in ["alpha", "beta"] {
            let store = factories.events.create_for_service(service).unwrap();
            store.append(AppendRequest::new(vec![draft("More", &["A:1"])])).await.unwrap();
            let all = store.read_by_tag(&tag("A:1"), None).await.unwrap();
            assert_eq!(all[0].event_type, format!("Of-{service}"));
        }
    }
    assert!(
        storage.admin.services().await.unwrap().is_empty(),
        "the role sees no tenant by itself"
    );
    schema.disable_row_level_security().await.unwrap();
    owner.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
}
