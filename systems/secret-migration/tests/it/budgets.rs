//! SM-032: request units of the operations, in the charge profile of the service.

use std::time::Duration;

use secret_migration::{TrackedWorkload, Transition, WorkloadKey};

use crate::world::{CLUSTER, Embedded, OverGateway, Way, World, cluster};

async fn world_with_fifty_references<W: Way>() -> (World, WorkloadKey) {
    let world = World::new::<W>().await;
    world.sync(CLUSTER).await;
    let paths: Vec<String> =
        (0..50).map(|number| format!("team/cart/service-{number:02}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let key = world.add(CLUSTER, "cart", &paths).await;
    (world, key)
}

#[tokio::test]
async fn a_lookup_is_a_point_read_of_one_request_unit() {
    let (world, key) = world_with_fifty_references::<Embedded>().await;
    let (_, charge) = world.system.charged_mapping(&key.cluster, &key.namespace).await.unwrap();
    assert!(charge <= 1.0, "{charge}");
}

/// The charge of the pending list of 20 workloads beside so many migrated ones.
async fn pending_charge<W: Way>(done: usize) -> f64 {
    let world = World::new::<W>().await;
    world.sync(CLUSTER).await;
    for number in 0..done {
        world.add(CLUSTER, &format!("done-{number}"), &["a"]).await;
    }
    let report = world.run(CLUSTER).await;
    assert_eq!(report.migrated as usize, done);
    for number in 0..20 {
        world.add(CLUSTER, &format!("open-{number}"), &["a"]).await;
    }
    world.system.pending(&cluster(CLUSTER), None).await.unwrap().charge
}

async fn the_pending_list_is_flat<W: Way>() {
    let (few, many) = (pending_charge::<W>(5).await, pending_charge::<W>(150).await);
    assert!((few - many).abs() < 0.01, "{few} beside 5, {many} beside 150");
}

#[tokio::test]
async fn sm_a14_the_pending_list_costs_the_same_however_many_are_done() {
    the_pending_list_is_flat::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a14_the_pending_list_costs_the_same_however_many_are_done_over_our_gateway() {
    the_pending_list_is_flat::<OverGateway>().await;
}

/// Four workers, a source that refuses every other moment: everything is migrated, after pauses instead of a storm of
/// requests, and the charge of a workload does not grow with their number.
async fn a_cluster_is_migrated<W: Way>() {
    let mut charges = Vec::new();
    for count in [20, 120] {
        let world = World::new::<W>().await;
        world.sync(CLUSTER).await;
        for number in 0..count {
            let paths = ["db", "api", "mail"].map(|part| format!("w{number:03}/{part}"));
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            world.add(CLUSTER, &format!("w{number:03}"), &paths).await;
        }
        world.vault.busy(3);
        let report = world.run(CLUSTER).await;
        assert_eq!((report.migrated, report.failed.len()), (count, 0), "{report:?}");
        assert_eq!(world.system.totals().back_offs, 3);
        world.assert_sound(CLUSTER).await;
        charges.push(report.charge / count as f64);
    }
    assert!(charges.iter().all(|charge| *charge < 120.0), "{charges:?}");
    assert!((charges[0] - charges[1]).abs() < 2.0, "{charges:?}");
}

#[tokio::test]
async fn sm_a14_a_cluster_is_migrated_at_a_flat_charge_with_pauses() {
    a_cluster_is_migrated::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a14_a_cluster_is_migrated_at_a_flat_charge_with_pauses_over_our_gateway() {
    a_cluster_is_migrated::<OverGateway>().await;
}

/// Requests and refused ones of all containers.
fn counted(engine: &engine::Engine) -> (f64, f64) {
    let usage: serde_json::Value = serde_json::from_str(&engine.usage().to_string()).unwrap();
    let containers = usage["containers"].as_array().unwrap().iter();
    let operations = containers.flat_map(|one| one["operations"].as_array().unwrap());
    operations.fold((0.0, 0.0), |(requests, throttled), one| {
        let number = |name: &str| one[name].as_f64().unwrap_or_default();
        (requests + number("requests"), throttled + number("throttled"))
    })
}

/// The account refuses what is above 4,000 RU/s: the workers wait as long as it asks for, nothing fails, and there is no
/// storm of refused requests.
async fn a_throttled_account_slows_the_workers_down<W: Way>() {
    let (world, engine) = World::throttled::<W>().await;
    world.sync(CLUSTER).await;
    for number in 0..150 {
        world.add(CLUSTER, &format!("w{number:03}"), &["db", "api", "mail"]).await;
    }
    let report = world.run(CLUSTER).await;
    assert_eq!((report.migrated, report.failed.len()), (150, 0), "{report:?}");
    let (requests, throttled) = counted(&engine);
    assert!(throttled > 0.0 && throttled < requests / 4.0, "{throttled} of {requests}");
    world.assert_sound(CLUSTER).await;
}

#[tokio::test]
async fn sm_a14_a_throttled_account_slows_the_workers_down() {
    a_throttled_account_slows_the_workers_down::<Embedded>().await;
}

/// The rule of the requirements: a figure is published, and fails above twice its budget.
async fn updates_stay_in_their_budget<W: Way>() {
    let (world, key) = world_with_fifty_references::<W>().await;
    let workloads = &world.system.containers().workloads;
    let partition = key.partition_key();
    let read = workloads.read::<TrackedWorkload>(&partition, &key.id()).await.unwrap();
    let mut item = read.value.clone();
    let claim = Transition::Claim { worker: "w".to_owned(), lease: Duration::from_secs(300) };
    let later = item.value.updated_at.after(Duration::from_secs(1));
    item.value.apply(claim, "w", later).unwrap();
    let saved = workloads.save(&partition, &item).await.unwrap();
    assert!(saved.charge <= 2.0 * 12.0, "update {}", saved.charge);
    assert!(read.charge + saved.charge <= 2.0 * 12.0, "claim {}", read.charge + saved.charge);
    // The way back to pending, so that a worker takes it.
    let mut item = saved.value;
    item.value.apply(Transition::LoseLease, "w", later.after(Duration::from_secs(1))).unwrap();
    workloads.save(&partition, &item).await.unwrap();
    assert_eq!(world.run(CLUSTER).await.migrated, 1);
    let mut item = workloads.read::<TrackedWorkload>(&partition, &key.id()).await.unwrap().value;
    let back = Transition::RollBack { reason: "test".to_owned() };
    item.value.apply(back, "ann", later.after(Duration::from_secs(2))).unwrap();
    let saved = workloads.save(&partition, &item).await.unwrap();
    assert!(saved.charge <= 2.0 * 12.0, "rollback {}", saved.charge);
}

#[tokio::test]
async fn sm_032_updates_with_fifty_references_stay_in_their_budget() {
    updates_stay_in_their_budget::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_032_updates_with_fifty_references_stay_in_their_budget_over_our_gateway() {
    updates_stay_in_their_budget::<OverGateway>().await;
}

#[tokio::test]
async fn sm_032_a_page_of_a_hundred_pending_workloads_stays_in_its_budget() {
    let world = World::new::<Embedded>().await;
    for number in 0..100 {
        world.add(CLUSTER, &format!("w{number:03}"), &["db", "api", "mail"]).await;
    }
    let page = world.system.pending(&cluster(CLUSTER), None).await.unwrap();
    assert_eq!(page.rows.len(), 100);
    assert!(page.charge <= 2.0 * 6.0, "{}", page.charge);
}
