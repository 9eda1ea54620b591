//! Containers of single-tenant programs: used as they are, and copied.

use std::sync::{Arc, Mutex};

use client::{Account, PartitionKeyDefinition};
use event_store::{
    AccountStorage, AccountStoreOptions, AppendRequest, LegacyMigration, MemoryPayloads,
    MigrationReport, ServiceId, StorageBundle,
};
use serde_json::json;
use service::copy::{Checkpoint, CheckpointStore, StopCondition};

use crate::site::Site;
use crate::world::{AccountPlace, World, draft, tag};

const EVENTS: usize = 1_000;
/// Over HTTP each item takes its time.
const EVENTS_OVER_HTTP: usize = 200;
/// The copy stops after so many rows.
const COPIED: u64 = 400;
const COPIED_OVER_HTTP: u64 = 150;

fn legacy_options() -> AccountStoreOptions {
    AccountStoreOptions { use_legacy_partition_key_paths: true, ..AccountStoreOptions::default() }
}

/// The items of a single-tenant program: without `pk` and `serviceId`, with keys of their own.
async fn fill(account: &Account, count: usize) {
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
    for number in 0..count {
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

async fn account(place: AccountPlace) -> (World, Account, usize) {
    // The containers of the world are in the way of those of the old program.
    let options = AccountStoreOptions { database: "other".to_owned(), ..Default::default() };
    let world = World::account_at(place, options).await;
    let account = world.account.clone().unwrap();
    let count = if account.is_connected() { EVENTS_OVER_HTTP } else { EVENTS };
    fill(&account, count).await;
    (world, account, count)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a7_the_default_tenant_stays_and_others_go_to_v2() {
    the_default_tenant_stays(AccountPlace::Embedded).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a7_the_default_tenant_stays_and_others_go_to_v2_over_our_gateway() {
    the_default_tenant_stays(AccountPlace::Gateway).await;
}

async fn the_default_tenant_stays(place: AccountPlace) {
    let (_world, account, count) = account(place).await;
    let storage = open(&account, legacy_options()).await.unwrap();
    let factories = storage.factories();
    let default = storage.single_tenant().events;
    assert_eq!(default.event_count(None).await.unwrap(), count as u64);
    assert_eq!(default.read_all(None, None).await.unwrap().len(), count);
    let school = default.read_by_tag(&tag("School:1"), None).await.unwrap();
    assert_eq!(school.len(), count);
    assert_eq!(default.all_tags(Some("Student")).await.unwrap().len(), count);
    // Writing goes on behind the old events.
    let version = school.last().unwrap().sortable_unique_id.clone();
    let request = AppendRequest::new(vec![draft("Renamed", &["School:1"])]);
    default.append(request.expecting([(tag("School:1"), Some(version))])).await.unwrap();
    assert_eq!(default.read_by_tag(&tag("School:1"), None).await.unwrap().len(), count + 1);
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
    let (_world, account, _) = account(AccountPlace::Embedded).await;
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
    a_copy_resumes(AccountPlace::Embedded).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a8_a_copy_resumes_and_writes_nothing_twice_over_our_gateway() {
    a_copy_resumes(AccountPlace::Gateway).await;
}

async fn a_copy_resumes(place: AccountPlace) {
    let (_world, account, count) = account(place).await;
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
    let dry_run =
        async || LegacyMigration::dry_run(&account, &source, &target, &school).await.unwrap();
    let (events, rows) = (count as u64, 2 * count as u64);
    let to_write = |report: MigrationReport| -> Vec<_> {
        report.containers.iter().map(|one| one.differences).collect()
    };
    assert_eq!(to_write(dry_run().await), [events, rows, 0]);
    let databases = account.list_databases().await.unwrap().value;
    assert!(databases.iter().all(|one| one.as_str() != "tenants"), "a dry run creates nothing");
    let stop_after = if account.is_connected() { COPIED_OVER_HTTP } else { COPIED };
    let (_, interrupted) = run(Some(stop_after)).await;
    assert!(interrupted.is_none());
    let (verified, report) = run(None).await;
    assert!(verified.is_complete(), "{verified:?}");
    let items: Vec<_> = verified
        .containers
        .iter()
        .map(|one| (one.name, one.source_items, one.target_items))
        .collect();
    assert_eq!(to_write(dry_run().await), [0, 0, 0]);
    assert_eq!(items, [("events", events, events), ("tags", rows, rows), ("states", 0, 0)]);
    assert!(report.unwrap().containers[1].written < rows, "the second run resumed");
    let (_, third) = run(None).await;
    let written: Vec<_> = third.unwrap().containers.iter().map(|one| one.written).collect();
    assert_eq!(written, [0, 0, 0]);
    // The copy is a tenant like any other.
    let storage = open(&account, target).await.unwrap();
    let store = storage.factories().events.create_for_service("school").unwrap();
    assert_eq!(store.read_all(None, None).await.unwrap().len(), count);
    assert_eq!(store.read_by_tag(&tag("School:1"), None).await.unwrap().len(), count);
    let request = AppendRequest::new(vec![draft("New", &["School:1"])]);
    assert!(store.append(request.clone().expecting([(tag("School:1"), None)])).await.is_err());
    store.append(request).await.unwrap();
    assert_eq!(store.event_count(None).await.unwrap(), events + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_migrates_over_http() {
    let options = AccountStoreOptions { database: "other".to_owned(), ..Default::default() };
    let world = World::account_at(AccountPlace::Embedded, options).await;
    fill(world.account.as_ref().unwrap(), 20).await;
    let site = Site::on(world).await;
    let operator = site.operator();
    let start = async |body: serde_json::Value| {
        let (status, job) = site.call(&operator, "POST", "/admin/v1/migrations", Some(body)).await;
        assert_eq!(status, 202, "{job}");
        let path = format!("/admin/v1/migrations/{}", job["id"]);
        loop {
            let (_, job) = site.call(&operator, "GET", &path, None).await;
            if job["state"] != "running" {
                return job;
            }
            tokio::task::yield_now().await;
        }
    };
    let body =
        |action: &str| json!({ "action": action, "toDatabase": "tenants", "toService": "acme" });
    let dry = start(body("dryRun")).await;
    assert_eq!(dry["report"]["containers"][0]["differences"], 20, "{dry}");
    let copied = start(body("copy")).await;
    assert_eq!((&copied["state"], &copied["written"]["tags"]), (&json!("done"), &json!(40)));
    assert_eq!(start(body("verify")).await["report"]["containers"][1]["differences"], 0);
    assert_eq!(start(body("copy")).await["report"]["containers"][0]["written"], 0);
    // One that follows goes on until it is stopped, and excludes others.
    let follow =
        json!({ "action": "copy", "toDatabase": "tenants", "toService": "acme", "follow": true });
    let (_, job) = site.call(&operator, "POST", "/admin/v1/migrations", Some(follow)).await;
    let second = site.call(&operator, "POST", "/admin/v1/migrations", Some(body("copy"))).await;
    assert_eq!(second.0, 409);
    let stop = format!("/admin/v1/migrations/{}/stop", job["id"]);
    assert_eq!(site.call(&operator, "POST", &stop, None).await.0, 202);
    let (_, list) = site.call(&operator, "GET", "/admin/v1/migrations", None).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 5);
    let wrong = [
        (json!({ "action": "copy", "toService": "a b" }), 400),
        (json!({ "action": "nothing" }), 400),
        (json!({ "action": "copy", "surprise": 1 }), 400),
    ];
    for (body, status) in wrong {
        let answer = site.call(&operator, "POST", "/admin/v1/migrations", Some(body)).await;
        assert_eq!(answer.0, status, "{}", answer.1);
    }
    let missing = site.call(&operator, "GET", "/admin/v1/migrations/99", None).await;
    assert_eq!(missing.0, 404);
}
