//! SM-A1, A3, A12, A13: containers, lists, waves, namespaces.

use std::collections::BTreeMap;

use client::{Throughput, TimeToLive};
use secret_migration::{
    ErrorKind, MappingInput, MigrationStatus, NamespaceName, NewWave, RollbackScope, RunScope,
    SecretBackend, WaveSelector, WaveStatus, WorkloadChange, WorkloadFilter,
};

use crate::world::{CLUSTER, Way, World, cluster, mapping};

pub(crate) async fn sm_a1_an_empty_account_gets_the_containers<W: Way>() {
    let world = World::new::<W>().await;
    let containers = world.system.containers();
    let workloads = containers.workloads.read_properties().await.unwrap().value;
    let namespaces = containers.namespaces.read_properties().await.unwrap().value;
    for properties in [&workloads, &namespaces] {
        let paths: Vec<_> =
            properties.partition_key.paths().iter().map(ToString::to_string).collect();
        assert_eq!(paths, ["/cluster"]);
    }
    assert_eq!(namespaces.default_time_to_live, TimeToLive::Seconds(86_400));
    assert_eq!(workloads.default_time_to_live, TimeToLive::Off);
    for container in [&containers.workloads, &containers.namespaces] {
        let throughput = container.read_throughput().await.unwrap().value.unwrap();
        assert!(
            matches!(throughput, Throughput::Autoscale { maximum: 4_000, .. }),
            "{throughput:?}"
        );
    }
    let mut included: Vec<_> =
        workloads.indexing_policy.included.iter().map(|path| path.path.to_string()).collect();
    included.sort();
    let expected =
        ["cluster", "migrationStatus", "namespace", "secretBackend", "updatedAt", "workloadName"];
    assert_eq!(included, expected.map(|name| format!("/{name}/?")));
    let excluded: Vec<_> =
        workloads.indexing_policy.excluded.iter().map(ToString::to_string).collect();
    assert!(excluded.contains(&"/*".to_owned()), "{excluded:?}");
    // Opening it again changes nothing.
    world.reopened().await;
}

pub(crate) async fn sm_a3_the_pending_list_touches_one_partition<W: Way>() {
    let world = World::new::<W>().await;
    for cluster_name in [CLUSTER, "dev-2"] {
        for number in 0..20 {
            world.add(cluster_name, &format!("w{number}"), &["a", "b"]).await;
        }
    }
    let fan_outs = world.account.fan_outs();
    let page = world.system.pending(&cluster(CLUSTER), None).await.unwrap();
    assert_eq!(page.rows.len(), 20);
    assert!(page.rows.iter().all(|row| row.cluster.as_str() == CLUSTER));
    assert!(page.charge <= 6.0, "{}", page.charge);
    assert_eq!(world.account.fan_outs(), fan_outs);
    let filter = WorkloadFilter {
        status: Some(MigrationStatus::Pending),
        namespace: Some(NamespaceName::parse("shop").unwrap()),
        limit: Some(7),
        ..WorkloadFilter::default()
    };
    let listed = world.system.workloads(&cluster(CLUSTER), &filter).await.unwrap();
    assert_eq!((listed.rows.len(), listed.continuation.is_some()), (7, true));
    let none =
        WorkloadFilter { status: Some(MigrationStatus::Migrated), ..WorkloadFilter::default() };
    assert_eq!(world.system.workloads(&cluster(CLUSTER), &none).await.unwrap().rows.len(), 0);
}

fn wave(name: &str, cluster_name: &str, ratio: Option<f64>) -> NewWave {
    let selector = WaveSelector {
        cluster: cluster(cluster_name),
        namespaces: Vec::new(),
        labels: BTreeMap::new(),
    };
    NewWave { name: name.to_owned(), selector, rate_per_minute: None, stop_at_error_ratio: ratio }
}

pub(crate) async fn sm_a12_a_wave_stops_at_its_error_ratio<W: Way>() {
    let world = World::new::<W>().await;
    world.sync(CLUSTER).await;
    for number in 0..50 {
        let path = if number < 6 { format!("bad{number}") } else { format!("good{number}") };
        world.add(CLUSTER, &format!("w{number:02}"), &[path.as_str()]).await;
    }
    world.target.fail_path("bad");
    let planned = world.system.create_wave(wave("first", CLUSTER, Some(0.1)), "ann").await.unwrap();
    assert_eq!((planned.total, planned.status), (50, WaveStatus::Planned));
    assert_eq!(world.run(CLUSTER).await.migrated, 0, "a wave that was not started is left alone");
    world.system.start_wave("first", "ann").await.unwrap();
    world.run(CLUSTER).await;
    let report = world.system.wave_report("first").await.unwrap();
    assert_eq!(report.wave.status, WaveStatus::Stopped);
    assert_eq!(report.wave.failures.len(), 6, "{:?}", report.wave.failures);
    let migrated = report.by_status.get("MIGRATED").copied().unwrap_or(0);
    let pending = report.by_status["PENDING"];
    assert_eq!(migrated + pending, 50);
    // The four workers may have had one more each in hand when the sixth failed.
    assert!(migrated <= 4, "{migrated} migrated after the stop");
    assert_eq!(world.run(CLUSTER).await.migrated, 0, "a stopped wave stays stopped");
    world.assert_sound(CLUSTER).await;
}

pub(crate) async fn sm_a13_temporary_namespaces_expire_and_stale_mappings_stop_the_workers<
    W: Way,
>() {
    let world = World::new::<W>().await;
    world.travel(60);
    let name = |text: &str| NamespaceName::parse(text).unwrap();
    let temporary = MappingInput { temporary: true, ..mapping("apps/test") };
    let all = vec![(name("test"), temporary), (name("shop"), mapping("apps/shop"))];
    world.system.sync_namespaces(&cluster(CLUSTER), all).await.unwrap();
    let key = world.add(CLUSTER, "cart", &["cart/db"]).await;
    world.travel(86_399);
    assert!(world.system.mapping(&cluster(CLUSTER), &name("test")).await.is_ok());
    world.travel(60);
    let gone = world.system.mapping(&cluster(CLUSTER), &name("test")).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    assert!(world.system.mapping(&cluster(CLUSTER), &name("shop")).await.is_ok());
    world.travel(3_600);
    let refused =
        world.system.run_cluster(&cluster(CLUSTER), RunScope::All, "worker").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::MappingMissing);
    assert!(refused.to_string().contains("stale mapping"), "{refused}");
    assert!(world.system.plan(&cluster(CLUSTER)).await.unwrap().is_stale);
    assert_eq!(world.workload(&key).await.attempts, 0, "nothing was claimed");
    world.sync(CLUSTER).await;
    assert_eq!(world.run(CLUSTER).await.migrated, 1);
}

pub(crate) async fn a_protected_cluster_needs_two_people<W: Way>() {
    let world = World::new::<W>().await;
    world.sync("prod-1").await;
    let key = world.add("prod-1", "cart", &["cart/db"]).await;
    let alone = world.system.request_migration(&key, None, "ann").await.unwrap_err();
    assert_eq!(alone.kind(), ErrorKind::ApprovalMissing);
    world.system.create_wave(wave("live", "prod-1", None), "ann").await.unwrap();
    for refused in [
        world.system.start_wave("live", "ann").await,
        world.system.approve_wave("live", "ann").await,
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ApprovalMissing);
    }
    world.system.approve_wave("live", "bob").await.unwrap();
    world.system.start_wave("live", "ann").await.unwrap();
    assert_eq!(world.run("prod-1").await.migrated, 1);
    assert_eq!(world.system.wave("live").await.unwrap().status, WaveStatus::Finished);
}

/// No way around the second person: not the widest scope, not a retry, not a wave of another cluster, not a wave that
/// is approved already.
pub(crate) async fn a_protected_cluster_has_no_way_around_the_approval<W: Way>() {
    let world = World::new::<W>().await;
    world.sync("prod-1").await;
    world.sync(CLUSTER).await;
    let key = world.add("prod-1", "cart", &["cart/db"]).await;
    world.add(CLUSTER, "other", &["other"]).await;
    assert_eq!(world.run("prod-1").await.migrated, 0);
    world.system.retry_migration(&key, None, "ann").await.unwrap();
    assert_eq!(world.run("prod-1").await.migrated, 0);
    let plan = world.system.plan(&cluster("prod-1")).await.unwrap();
    assert_eq!((plan.ready, plan.unapproved), (0, 1));
    // Waves that run: one of another cluster, and one of this cluster that was approved with another workload.
    world.system.create_wave(wave("dev", CLUSTER, None), "ann").await.unwrap();
    world.system.start_wave("dev", "ann").await.unwrap();
    let other = world.add("prod-1", "pay", &["pay/db"]).await;
    let only = WaveSelector {
        labels: [("app".to_owned(), "none".to_owned())].into(),
        ..wave("live", "prod-1", None).selector
    };
    let live = NewWave { selector: only, ..wave("live", "prod-1", None) };
    assert_eq!(world.system.create_wave(live, "ann").await.unwrap().total, 0);
    let join =
        |wave: &str| WorkloadChange { wave: Some(wave.to_owned()), ..WorkloadChange::default() };
    // Until the approval it may join: the second person sees it.
    world.system.change_workload(&other, join("live"), None, "ann").await.unwrap();
    world.system.approve_wave("live", "bob").await.unwrap();
    world.system.start_wave("live", "ann").await.unwrap();
    for (name, kind) in [
        ("dev", ErrorKind::ApprovalMissing),
        ("live", ErrorKind::ApprovalMissing),
        ("unknown", ErrorKind::NotFound),
    ] {
        let refused = world.system.change_workload(&key, join(name), None, "ann").await;
        assert_eq!(refused.unwrap_err().kind(), kind, "{name}");
    }
    assert_eq!(world.run("prod-1").await.migrated, 1, "only the one that was approved");
    assert_eq!(world.workload(&key).await.secret_backend, SecretBackend::Hashi);
    assert_eq!(world.workload(&other).await.secret_backend, SecretBackend::Smp);
}

pub(crate) async fn a_wave_a_namespace_and_a_cluster_are_rolled_back_at_once<W: Way>() {
    let world = World::new::<W>().await;
    world.sync(CLUSTER).await;
    world.add(CLUSTER, "one", &["one"]).await;
    world.add(CLUSTER, "two", &["two"]).await;
    let rate = NewWave { rate_per_minute: Some(2), ..wave("first", CLUSTER, None) };
    world.system.create_wave(rate, "ann").await.unwrap();
    world.system.start_wave("first", "ann").await.unwrap();
    world.add(CLUSTER, "three", &["three"]).await;
    assert_eq!(world.run(CLUSTER).await.migrated, 3);
    world.vault.delete("secret/two");
    let report = world.system.roll_back_wave("first", "test", "ann").await.unwrap();
    assert_eq!(report.rolled_back, ["dev-1:shop:one"]);
    assert_eq!(report.refused.len(), 1);
    let shop = RollbackScope::Namespace(NamespaceName::parse("shop").unwrap());
    let rest = world.system.roll_back_all(&cluster(CLUSTER), &shop, "test", "ann").await.unwrap();
    assert_eq!(rest.rolled_back, ["dev-1:shop:three"]);
    world.vault.put("secret/two", &[("k", "v")]);
    let all = RollbackScope::Cluster;
    let rest = world.system.roll_back_all(&cluster(CLUSTER), &all, "test", "ann").await.unwrap();
    assert_eq!(rest.rolled_back, ["dev-1:shop:two"]);
    world.assert_sound(CLUSTER).await;
}
