//! SM-034: the workers of a running system: clusters beside each other, a limit of request units, a prompt stop.

use std::collections::BTreeMap;
use std::time::Duration;

use secret_migration::{
    MigrationSettings, MigrationStatus, NewWave, WaveSelector, WaveStatus, WorkloadFilter,
};
use service::http::ShutdownSignal;

use crate::world::{CLUSTER, Embedded, OverGateway, Way, World, cluster, settings};

fn wave(name: &str, cluster_name: &str, rate_per_minute: Option<u32>) -> NewWave {
    let selector = WaveSelector {
        cluster: cluster(cluster_name),
        namespaces: Vec::new(),
        labels: BTreeMap::new(),
    };
    NewWave { name: name.to_owned(), selector, rate_per_minute, stop_at_error_ratio: None }
}

async fn no_cluster_waits_for_another<W: Way>() {
    let world = World::in_real_time::<W>().await;
    for (name, cluster_name, rate) in [("slow", "a-1", Some(1)), ("quick", "b-1", None)] {
        world.sync(cluster_name).await;
        for number in 0..4 {
            world.add(cluster_name, &format!("w{number}"), &["db"]).await;
        }
        world.system.create_wave(wave(name, cluster_name, rate), "ann").await.unwrap();
        world.system.start_wave(name, "ann").await.unwrap();
    }
    let (system, shutdown) = (world.system.clone(), ShutdownSignal::default());
    let stop = shutdown.clone();
    let running = tokio::spawn(async move { system.run(&shutdown).await });
    // The limit only ends a test that hangs: the slow wave takes minutes.
    for _ in 0..600 {
        if world.system.wave("quick").await.unwrap().status == WaveStatus::Finished {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(world.system.wave("quick").await.unwrap().status, WaveStatus::Finished);
    assert_eq!(world.system.wave("slow").await.unwrap().status, WaveStatus::Running);
    // The slow wave sleeps until its next slot; a stop does not wait for it.
    stop.trigger();
    running.await.unwrap();
    let filter =
        WorkloadFilter { status: Some(MigrationStatus::Pending), ..WorkloadFilter::default() };
    let left = world.system.workloads(&cluster("a-1"), &filter).await.unwrap().rows.len();
    assert!(left >= 2, "{left}");
    world.assert_sound("a-1").await;
    world.assert_sound("b-1").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_034_no_cluster_waits_for_another() {
    no_cluster_waits_for_another::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_034_no_cluster_waits_for_another_over_our_gateway() {
    no_cluster_waits_for_another::<OverGateway>().await;
}

#[tokio::test]
async fn sm_034_workers_keep_to_their_request_units() {
    let limited = MigrationSettings { request_units_per_second: 50, workers: 1, ..settings() };
    let world = World::with::<Embedded>(limited).await;
    world.sync(CLUSTER).await;
    for number in 0..5 {
        world.add(CLUSTER, &format!("w{number}"), &["db"]).await;
    }
    let begin = world.environment.stopwatch();
    let report = world.run(CLUSTER).await;
    assert_eq!(report.migrated, 5);
    // The last workload's units delay only what comes after it.
    let taken = (world.environment.stopwatch() - begin).as_secs_f64();
    let (least, most) = (report.charge * 3.0 / 5.0 / 50.0, report.charge / 50.0);
    assert!((least..=most).contains(&taken), "{} RU in {taken} s", report.charge);
}
