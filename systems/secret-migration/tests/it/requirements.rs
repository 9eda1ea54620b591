//! Requirements that no acceptance scenario shows: SM-006, SM-007, the checker of SM-028, SM-035, SM-036, SM-038.

use std::collections::BTreeMap;

use client::TimeToLive;
use secret_migration::{
    HashiSecrets, MigrationSettings, NamespaceName, NewWave, SourceReference, TrackedWorkload,
    UtcTimestamp, WaveSelector, WorkloadChange, WorkloadKey,
};
use serde_json::{Value, json};

use crate::world::{CLUSTER, Embedded, OverGateway, Way, World, cluster, mapping};

async fn audit_and_leases<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    let containers = world.system.containers();
    // Beside leases there are ended sessions, which expire by a time to live of their own.
    for (container, path, expiry) in [
        (&containers.audit, "/cluster", TimeToLive::Off),
        (&containers.leases, "/id", TimeToLive::NoDefault),
    ] {
        let properties = container.read_properties().await.unwrap().value;
        let paths: Vec<_> =
            properties.partition_key.paths().iter().map(ToString::to_string).collect();
        assert_eq!((paths, properties.default_time_to_live), (vec![path.to_owned()], expiry));
    }
    world.run(CLUSTER).await;
    let subject = format!("{}/{}", key.namespace, key.name);
    let audit = async || world.system.audit(&cluster(CLUSTER), Some(&subject), None).await.unwrap();
    let before = audit().await;
    // Later changes append; what is there stays as it was.
    let change = WorkloadChange { owner: Some("team".to_owned()), ..WorkloadChange::default() };
    world.system.change_workload(&key, change, None, "ann").await.unwrap();
    let after = audit().await;
    assert_eq!(after[..before.len()], before[..]);
    assert_eq!((after.len(), after.last().unwrap().by.as_str()), (before.len() + 1, "ann"));
}

#[tokio::test]
async fn sm_006_the_audit_names_who_acted_on_waves_and_mappings() {
    let world = World::new::<Embedded>().await;
    world.sync("prod-1").await;
    world.add("prod-1", "one", &["one"]).await;
    let prod = cluster("prod-1");
    let selector =
        WaveSelector { cluster: prod.clone(), namespaces: Vec::new(), labels: BTreeMap::new() };
    let name = "live".to_owned();
    let wave = NewWave { name, selector, rate_per_minute: None, stop_at_error_ratio: None };
    world.system.create_wave(wave, "ann").await.unwrap();
    world.system.approve_wave("live", "ann").await.unwrap_err();
    world.system.approve_wave("live", "bob").await.unwrap();
    world.system.start_wave("live", "ann").await.unwrap();
    world.system.pause_wave("live", "cy").await.unwrap();
    world.system.roll_back_wave("live", "test", "dan").await.unwrap();
    let done = async |subject: &str| -> Vec<(String, String)> {
        let entries = world.system.audit(&prod, Some(subject), None).await.unwrap();
        entries.into_iter().map(|entry| (entry.action, entry.by)).collect()
    };
    let mut waves = done("wave:live").await;
    // All of it happened in one moment of the test's clock, so the order is not that of the actions.
    waves.sort();
    let expected = [
        ("approve wave", "bob"),
        ("create wave", "ann"),
        ("pause wave", "cy"),
        ("roll back wave", "dan"),
        ("start wave", "ann"),
    ];
    assert_eq!(waves, expected.map(|(action, by)| (action.to_owned(), by.to_owned())));
    let pay = NamespaceName::parse("pay").unwrap();
    world.system.put_mapping(&prod, &pay, mapping("apps/pay"), "eve").await.unwrap();
    assert_eq!(done("namespace:pay").await, [("put mapping".to_owned(), "eve".to_owned())]);
}

#[tokio::test]
async fn sm_006_sm_007_the_audit_is_only_appended_to_and_leases_have_a_container() {
    audit_and_leases::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_006_sm_007_the_audit_is_only_appended_to_over_our_gateway() {
    audit_and_leases::<OverGateway>().await;
}

/// A pending workload of any namespace whose only path is below this mount.
async fn add_elsewhere(world: &World, namespace: &str, mount: &str, path: &str) {
    let key = WorkloadKey::parse(CLUSTER, namespace, "x").unwrap();
    let items = vec![SourceReference { path: path.to_owned(), ..SourceReference::default() }];
    let secrets = HashiSecrets { mount: mount.to_owned(), items, ..HashiSecrets::default() };
    let now = UtcTimestamp::now(&world.environment);
    let workload = TrackedWorkload::discovered(&key, None, secrets, "test", now);
    let workloads = &world.system.containers().workloads;
    workloads.create(&key.partition_key(), &workload).await.unwrap();
}

#[tokio::test]
async fn sm_035_a_plan_counts_what_a_run_would_do_and_changes_nothing() {
    let world = World::new::<Embedded>().await;
    world.sync(CLUSTER).await;
    world.add(CLUSTER, "one", &["a/b", "c"]).await;
    let held = world.add(CLUSTER, "held", &["d"]).await;
    let pause = WorkloadChange { paused: Some(true), ..WorkloadChange::default() };
    world.system.change_workload(&held, pause, None, "ann").await.unwrap();
    add_elsewhere(&world, "nowhere", "secret", "e").await;
    // Another source that would be written to the path of the first workload on the target.
    let pay = NamespaceName::parse("pay").unwrap();
    let below = mapping("apps/shop/secret");
    world.system.put_mapping(&cluster(CLUSTER), &pay, below, "ann").await.unwrap();
    add_elsewhere(&world, "pay", "a", "b").await;
    let before = world.system.export(&cluster(CLUSTER)).await.unwrap();
    let plan = world.system.plan(&cluster(CLUSTER)).await.unwrap();
    assert_eq!((plan.ready, plan.paths, plan.held, plan.unapproved), (2, 3, 1, 0));
    assert_eq!(plan.missing_mappings, BTreeMap::from([("nowhere".to_owned(), 1)]));
    assert_eq!((plan.conflicts, plan.is_stale), (vec!["apps/shop/secret/a/b".to_owned()], false));
    assert_eq!(world.system.export(&cluster(CLUSTER)).await.unwrap(), before);
    assert_eq!(world.target.versions().len(), 0, "a plan copies nothing");
}

#[tokio::test]
async fn sm_036_a_summary_counts_by_status_namespace_and_wave_with_rate_and_errors() {
    let world = World::new::<Embedded>().await;
    world.sync(CLUSTER).await;
    for name in ["one", "two"] {
        world.add(CLUSTER, name, &[name]).await;
    }
    let selector =
        WaveSelector { cluster: cluster(CLUSTER), namespaces: Vec::new(), labels: BTreeMap::new() };
    let name = "first".to_owned();
    let wave = NewWave { name, selector, rate_per_minute: None, stop_at_error_ratio: None };
    world.system.create_wave(wave, "ann").await.unwrap();
    world.system.start_wave("first", "ann").await.unwrap();
    world.target.fail_path("broken");
    world.add(CLUSTER, "three", &["broken"]).await;
    world.add(CLUSTER, "four", &["four"]).await;
    assert_eq!(world.run(CLUSTER).await.migrated, 3);
    let summary = world.system.summary(&cluster(CLUSTER)).await.unwrap();
    let counts = |pairs: &[(&str, u64)]| -> BTreeMap<String, u64> {
        pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let all = counts(&[("MIGRATED", 3), ("PENDING", 1)]);
    assert_eq!(summary.by_status, all);
    assert_eq!(summary.by_namespace, BTreeMap::from([("shop".to_owned(), all)]));
    let first = BTreeMap::from([("first".to_owned(), counts(&[("MIGRATED", 2)]))]);
    assert_eq!(summary.by_wave, first);
    // One is left, at three an hour.
    assert_eq!((summary.migrated_last_hour, summary.minutes_left), (3, Some(20)));
    assert_eq!(summary.burn_down.last().map(|point| point.left), Some(1));
    let [error] = summary.errors.as_slice() else { panic!("{:?}", summary.errors) };
    assert_eq!((error.id.as_str(), error.attempts), ("dev-1:shop:three", 1));
    assert!(error.error.contains("broken"), "{error:?}");
    // An hour later there is no rate to foretell anything from.
    world.travel(3_601);
    let later = world.system.summary(&cluster(CLUSTER)).await.unwrap();
    assert_eq!((later.migrated_last_hour, later.minutes_left), (0, None));
}

async fn the_check_finds_what_must_not_be_there<W: Way>() {
    let (world, key) = World::with_workload::<W>().await;
    let workloads = &world.system.containers().workloads;
    let partition = key.partition_key();
    let sound = workloads.read::<Value>(&partition, &key.id()).await.unwrap().value.into_value();
    world.assert_sound(CLUSTER).await;
    for (change, expected) in [
        (json!({ "migrationStatus": "MIGRATED" }), &["MIGRATED on hashi"][..]),
        (json!({ "secretBackend": "smp" }), &["PENDING on smp", "no paths there"][..]),
        (json!({ "migrationStatus": "IN-PROGRESS" }), &["its claim do not fit"][..]),
        (json!({ "workloadName": "other" }), &["dev-1:shop:other"][..]),
        (json!({ "migrationStatus": "DONE" }), &["cannot be read"][..]),
    ] {
        let mut broken = sound.clone();
        broken.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        workloads.upsert(&partition, &broken, None).await.unwrap();
        let findings = world.system.check(&cluster(CLUSTER)).await.unwrap();
        assert_eq!(findings.len(), expected.len(), "{change}: {findings:?}");
        for (finding, text) in findings.iter().zip(expected) {
            assert_eq!(finding.id, key.id());
            assert!(finding.problem.contains(text), "{change}: {findings:?}");
        }
    }
    workloads.upsert(&partition, &sound, None).await.unwrap();
    world.assert_sound(CLUSTER).await;
}

#[tokio::test]
async fn sm_028_the_check_finds_illegal_pairs_claims_and_names() {
    the_check_finds_what_must_not_be_there::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_028_the_check_finds_illegal_pairs_claims_and_names_over_our_gateway() {
    the_check_finds_what_must_not_be_there::<OverGateway>().await;
}

#[test]
fn sm_038_the_defaults_are_those_of_the_requirement() {
    let defaults = MigrationSettings::default();
    assert_eq!((defaults.workers, defaults.batch_size, defaults.max_attempts), (4, 100, 5));
    assert_eq!((defaults.lease_seconds, defaults.health_timeout_seconds), (300, 300));
    assert_eq!((defaults.retry_base_seconds, defaults.scan_interval_minutes), (30, 60));
    assert_eq!((defaults.namespace_sync_minutes, defaults.namespace_ttl_seconds), (1, 86_400));
    // SM-029: a change is seen within a second.
    assert!(defaults.watch_poll_milliseconds <= 500);
}
