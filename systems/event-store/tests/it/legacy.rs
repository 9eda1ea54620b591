//! Containers of single-tenant programs: used as they are, and copied.

use std::sync::{Arc, Mutex};

use client::{Account, PartitionKeyDefinition};
use event_store::{
    AccountStorage, AccountStoreOptions, AppendRequest, LegacyMigration, MemoryPayloads, ServiceId,
    StorageBundle,
};
use serde_json::json;
use service::copy::{Checkpoint, CheckpointStore, StopCondition};

use crate::world::{World, draft, tag};

const EVENTS: usize = 1_000;

fn legacy_options() -> AccountStoreOptions {
    AccountStoreOptions { use_legacy_partition_key_paths: true, ..AccountStoreOptions::default() }
}

/// The items of a single-tenant program: without `pk` and `serviceId`, with keys of their own.
async fn fill(account: &Account) {
    let database = account.database("SekibanDcb").unwrap();
    database.create_if_missing(None).await.unwrap();
    for (name, path) in
        [("events", "/id"), ("tags", "/tag"), ("multiProjectionStates", "/partitionKey")]
    {
        let container = database.container(name).unwrap();
        let key = PartitionKeyDefinition::single(path).unwrap();
        container.create_if_missing(container.properties(key), None).await.unwrap();
    }
    let events = database.container("events").unwrap();
    let tags = database.container("tags").unwrap();
    for number in 0..EVENTS {
        let id = format!("00000000-0000-4000-8000-{number:012}");
        let position = format!("06390000000{number:08}00000000001");
        let names = [format!("Student:{number}"), "School:1".to_owned()];
        let event = json!({
            "id": id, "sortableUniqueId": position, "eventType": "Enrolled",
            "payload": "{\"number\":1}", "tags": names, "timestamp": "2025-11-20T08:30:00.000Z",
        });
        events.create(&id.as_str().into(), &event).await.unwrap();
        for name in names {
            let row = json!({
                "id": id, "tag": name, "tagGroup": name.split(':').next(), "eventId": id,
                "eventType": "Enrolled", "sortableUniqueId": position,
                "createdAt": "2025-11-20T08:30:00.000Z",
            });
            tags.create(&name.as_str().into(), &row).await.unwrap();
        }
    }
}

async fn open(
    account: &Account,
    options: AccountStoreOptions,
) -> event_store::Result<StorageBundle> {
    AccountStorage::open(account.clone(), options, Arc::new(MemoryPayloads::default())).await
}

async fn account() -> (World, Account) {
    // The containers of the world are in the way of those of the old program.
    let options = AccountStoreOptions { database: "other".to_owned(), ..Default::default() };
    let world = World::account_with(options).await;
    let account = world.account.clone().unwrap();
    fill(&account).await;
    (world, account)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a7_the_default_tenant_stays_and_others_go_to_v2() {
    let (_world, account) = account().await;
    let storage = open(&account, legacy_options()).await.unwrap();
    let factories = storage.factories();
    let default = storage.single_tenant().events;
    assert_eq!(default.event_count(None).await.unwrap(), EVENTS as u64);
    assert_eq!(default.read_all(None, None).await.unwrap().len(), EVENTS);
    let school = default.read_by_tag(&tag("School:1"), None).await.unwrap();
    assert_eq!(school.len(), EVENTS);
    assert_eq!(default.all_tags(Some("Student")).await.unwrap().len(), EVENTS);
    // Writing goes on behind the old events.
    let version = school.last().unwrap().sortable_unique_id.clone();
    let request = AppendRequest::new(vec![draft("Renamed", &["School:1"])]);
    default.append(request.expecting([(tag("School:1"), Some(version))])).await.unwrap();
    assert_eq!(default.read_by_tag(&tag("School:1"), None).await.unwrap().len(), EVENTS + 1);
    let acme = factories.events.create_for_service("acme").unwrap();
    acme.append(AppendRequest::new(vec![draft("Own", &["School:1"])])).await.unwrap();
    assert_eq!(acme.read_all(None, None).await.unwrap().len(), 1);
    let database = account.database("SekibanDcb").unwrap();
    let v2 = database.container("events_v2").unwrap();
    let query = client::Query::text("SELECT c.pk, c.serviceId FROM c").fan_out("the test");
    let items = v2.query::<serde_json::Value>(&query).await.unwrap().value;
    assert_eq!(items.len(), 1);
    assert_eq!(items[0]["serviceId"], "acme");
    let names: Vec<_> = storage.admin.services().await.unwrap();
    assert_eq!(names.iter().map(ServiceId::as_str).collect::<Vec<_>>(), ["acme", "default"]);
}

#[tokio::test]
async fn dc_a7_equal_names_and_foreign_keys_refuse_the_start() {
    let (_world, account) = account().await;
    let same = AccountStoreOptions { v2_container_suffix: String::new(), ..legacy_options() };
    assert!(open(&account, same).await.is_err());
    // The containers have the keys of the old program.
    let error = open(&account, AccountStoreOptions::default()).await.unwrap_err();
    assert_eq!(error.kind(), event_store::ErrorKind::Invalid);
}

/// Keeps checkpoints; may stop the copy after so many saves.
#[derive(Clone, Default)]
struct Checkpoints(Arc<Mutex<Option<Checkpoint>>>);

impl CheckpointStore for Checkpoints {
    fn load(&self) -> Result<Option<Checkpoint>, String> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn save(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        *self.0.lock().unwrap() = Some(checkpoint.clone());
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a8_a_copy_resumes_and_writes_nothing_twice() {
    let (_world, account) = account().await;
    let source = AccountStoreOptions::default();
    let target = AccountStoreOptions { database: "tenants".to_owned(), ..Default::default() };
    let school = ServiceId::parse("school").unwrap();
    let stores: std::collections::BTreeMap<&str, Checkpoints> =
        ["events", "tags", "states"].map(|name| (name, Checkpoints::default())).into();
    let run = async |stop_after: Option<u64>| {
        let migration =
            LegacyMigration::prepare(&account, &source, &target, &school, None).await.unwrap();
        let stores = stores.clone();
        let checkpoint =
            move |name: &str| -> Box<dyn CheckpointStore> { Box::new(stores[name].clone()) };
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let stop = Mutex::new(Some(stop));
        let progress = move |name: &str, copied: u64| {
            if name == "tags" && stop_after.is_some_and(|most| copied >= most) {
                // Like a kill: nothing of the copy runs any more.
                if let Some(stop) = stop.lock().unwrap().take() {
                    let _ = stop.send(());
                }
            }
        };
        let copy = migration.run(&checkpoint, &StopCondition::CaughtUp, &progress);
        let report = tokio::select! {
            report = copy => Some(report.unwrap()),
            _ = stopped => None,
        };
        (migration.verify().await.unwrap(), report)
    };
    let (_, interrupted) = run(Some(400)).await;
    assert!(interrupted.is_none());
    let (verified, report) = run(None).await;
    assert!(verified.is_complete(), "{verified:?}");
    let items: Vec<_> = verified
        .containers
        .iter()
        .map(|one| (one.name, one.source_items, one.target_items))
        .collect();
    let (events, rows) = (EVENTS as u64, 2 * EVENTS as u64);
    assert_eq!(items, [("events", events, events), ("tags", rows, rows), ("states", 0, 0)]);
    assert!(report.unwrap().containers[1].written < rows, "the second run resumed");
    let (_, third) = run(None).await;
    let written: Vec<_> = third.unwrap().containers.iter().map(|one| one.written).collect();
    assert_eq!(written, [0, 0, 0]);
    // The copy is a tenant like any other.
    let storage = open(&account, target).await.unwrap();
    let store = storage.factories().events.create_for_service("school").unwrap();
    assert_eq!(store.read_all(None, None).await.unwrap().len(), EVENTS);
    assert_eq!(store.read_by_tag(&tag("School:1"), None).await.unwrap().len(), EVENTS);
    let request = AppendRequest::new(vec![draft("New", &["School:1"])]);
    assert!(store.append(request.clone().expecting([(tag("School:1"), None)])).await.is_err());
    store.append(request).await.unwrap();
    assert_eq!(store.event_count(None).await.unwrap(), events + 1);
}
