//! SM-032: request units of the operations, in the charge profile of the service.

use secret_migration::{MigrationStatus, RollbackOptions, RunScope, WorkloadKey};

use crate::world::{CLUSTER, Embedded, World, cluster};

async fn world_with_fifty_references() -> (World, WorkloadKey) {
    let world = World::new::<Embedded>().await;
    world.sync(CLUSTER).await;
    let paths: Vec<String> =
        (0..50).map(|number| format!("team/cart/service-{number:02}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let key = world.add(CLUSTER, "cart", &paths).await;
    (world, key)
}

#[tokio::test]
async fn a_lookup_is_a_point_read_of_one_request_unit() {
    let (world, key) = world_with_fifty_references().await;
    let (_, charge) = world.system.charged_mapping(&key.cluster, &key.namespace).await.unwrap();
    assert!(charge <= 1.0, "{charge}");
}

/// The charge of the pending list of 20 workloads beside so many migrated ones.
async fn pending_charge(done: usize) -> f64 {
    let world = World::new::<Embedded>().await;
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

#[tokio::test]
async fn sm_a14_the_pending_list_costs_the_same_however_many_are_done() {
    let (few, many) = (pending_charge(5).await, pending_charge(150).await);
    assert!((few - many).abs() < 0.01, "{few} beside 5, {many} beside 150");
}

#[tokio::test]
async fn a_rollback_with_fifty_references_stays_in_its_budget() {
    let (world, key) = world_with_fifty_references().await;
    let report =
        world.system.run_cluster(&cluster(CLUSTER), RunScope::All, "worker").await.unwrap();
    assert_eq!(report.migrated, 1);
    let back = world.system.roll_back(&key, &RollbackOptions::default(), "ann").await.unwrap();
    assert_eq!(back.workload.migration_status, MigrationStatus::RolledBack);
    println!("a migration with 50 references: {:.1} RU", report.charge);
}
