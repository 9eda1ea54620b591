//! DC-087, DC-X3: many tenants of very different sizes at once, and what their reads cost.

use std::sync::Arc;
use std::time::Duration;

use client::{Account, Environment, StorageLocation};
use event_store::{
    AccountStorage, AccountStoreOptions, AppendRequest, MemoryPayloads, MemoryStorage, ServiceId,
    StorageBundle, TenancyLoad, TenancyLoadOptions,
};

use crate::world::{World, draft, tag};

async fn check(storage: StorageBundle) {
    let duration = Duration::from_millis(400);
    let options = TenancyLoadOptions { tenants: 5, writers: 4, duration };
    let report = TenancyLoad::new(storage, options).unwrap().run().await.unwrap();
    assert_eq!(report.violations, Vec::<String>::new());
    assert_eq!(report.events.len(), 5);
    assert!(report.checks > 0 && report.events[0].1 > 0, "{report:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_087_tenants_stay_apart_under_load_in_memory() {
    check(MemoryStorage::bundle(&Environment::system())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_087_tenants_stay_apart_under_load_on_an_account() {
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    let payloads = Arc::new(MemoryPayloads::default());
    let storage = AccountStorage::open(account, AccountStoreOptions::default(), payloads).await;
    check(storage.unwrap()).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_087_tenants_stay_apart_under_load_on_postgres() {
    use event_store::{PostgresOptions, PostgresSchema, PostgresStorage};
    let test = "dc_087_tenants_stay_apart_under_load_on_postgres";
    let Some(database) = crate::postgres::TestDatabase::create(test).await else { return };
    let options = PostgresOptions::new(database.address());
    PostgresSchema::new(&options).unwrap().migrate().await.unwrap();
    let payloads = Arc::new(MemoryPayloads::default());
    check(PostgresStorage::open(&options, &Environment::system(), payloads).await.unwrap()).await;
}

/// A checker that never complains would be worth nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_087_a_leak_under_load_is_noticed() {
    let world = World::account().await;
    let storage = StorageBundle { environment: Environment::system(), ..world.storage.clone() };
    let foreign = draft("Foreign", &["Load:1"]);
    world.events("load-1").append(AppendRequest::new(vec![foreign])).await.unwrap();
    let options =
        TenancyLoadOptions { tenants: 2, writers: 1, duration: Duration::from_millis(200) };
    let report = TenancyLoad::new(storage, options).unwrap().run().await.unwrap();
    assert!(report.violations[0].contains("load-1 read"), "{report:?}");
}

#[tokio::test]
async fn dc_x3_a_tenant_can_have_containers_of_its_own() {
    let options = AccountStoreOptions {
        dedicated_tenants: [ServiceId::parse("large").unwrap()].into(),
        ..AccountStoreOptions::default()
    };
    let world = World::account_with(options).await;
    for service in ["large", "small", "default"] {
        let request = AppendRequest::new(vec![draft("Made", &["A:1"])]);
        world.events(service).append(request).await.unwrap();
    }
    let database = world.account.as_ref().unwrap().database("SekibanDcb").unwrap();
    let mut names: Vec<_> = database.list_containers().await.unwrap().value;
    names.retain(|one| one.id.as_str().starts_with("events"));
    let names: Vec<_> = names.iter().map(|one| one.id.to_string()).collect();
    assert_eq!(names, ["events", "events_large"]);
    let query = client::Query::text("SELECT VALUE c.serviceId FROM c").fan_out("a test");
    let found = database.container("events_large").unwrap().query::<String>(&query).await;
    assert_eq!(found.unwrap().value, ["large"]);
    let services = world.storage.admin.services().await.unwrap();
    let services: Vec<_> = services.iter().map(|one| one.as_str()).collect();
    assert_eq!(services, ["default", "large", "small"]);
    assert_eq!(world.events("large").read_by_tag(&tag("A:1"), None).await.unwrap().len(), 1);
    assert_eq!(
        world.storage.admin.drop_service(&ServiceId::parse("large").unwrap()).await.unwrap(),
        2
    );
    assert_eq!(world.events("small").event_count(None).await.unwrap(), 1);
}
