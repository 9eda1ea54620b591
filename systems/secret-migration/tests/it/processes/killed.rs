//! SM-A9 with real processes: workers killed with SIGKILL at every step, and several at once.

use std::sync::Arc;

use client::{Environment, TravellingClock};
use secret_migration::{MigrationStep, RunScope, UtcTimestamp};

use super::ground::{Ground, Worker};
use crate::world::{CLUSTER, cluster};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a9_a_process_killed_at_every_step_leaves_nothing_half_done() {
    let mut killed = 0;
    for step in MigrationStep::ALL {
        for recorded in [false, true] {
            let ground = Ground::with(1).await;
            let what = format!("{step:?}, recorded {recorded}");
            let said =
                tokio::task::block_in_place(|| ground.start(&format!("{step:?}"), recorded).said());
            assert!(["reached", "finished"].contains(&said.as_str()), "{what}: {said}");
            killed += usize::from(said == "reached");
            // The lease ends; another process goes on.
            let clock = TravellingClock::starting_at(Environment::system().now());
            let next = ground.open(Environment::travelling(Arc::clone(&clock), 7)).await;
            for _ in 0..3 {
                clock.travel(std::time::Duration::from_secs(301));
                next.run_cluster(&cluster(CLUSTER), RunScope::All, "next").await.unwrap();
            }
            next.repair_audit(&cluster(CLUSTER), UtcTimestamp::default()).await.unwrap();
            ground.check(&next, &what).await;
        }
    }
    // Claim, switch and finish are recorded by their own write, a single path has no entry; six have both moments.
    assert_eq!(killed, 3 + 2 * 6 + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_migrate_each_workload_once() {
    let ground = Ground::with(9).await;
    tokio::task::block_in_place(|| {
        let mut workers: Vec<Worker> = (0..3).map(|_| ground.start("none", false)).collect();
        for worker in &mut workers {
            assert_eq!(worker.said(), "finished");
        }
    });
    let system = ground.open(Environment::system()).await;
    // A process that lost a race leaves the workload to the winner; all winners have finished.
    ground.check(&system, "three processes").await;
}
