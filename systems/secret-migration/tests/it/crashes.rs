//! SM-A9: a worker that is lost at any step is followed by one that ends the work, once.
//!
//! A crash is a panic in the observer: no further line of the worker runs, nothing is cleaned up, its claim stays.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use client::{Fault, Faults};
use secret_migration::{
    MigrationObserver, MigrationStatus, MigrationStep, RunScope, SecretBackend, UtcTimestamp,
    WorkloadKey,
};

use crate::world::{CLUSTER, Embedded, World, cluster};

/// Crashes the worker when a step is reached for this time, counted from zero.
pub(crate) struct CrashAt {
    pub(crate) at: (MigrationStep, bool),
    pub(crate) left: AtomicUsize,
}

impl MigrationObserver for CrashAt {
    fn on_step(&self, step: MigrationStep, recorded: bool) {
        if (step, recorded) == self.at && self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            panic!("killed at {step:?}, as planned");
        }
    }
}

/// Lets the claim end and another worker go on.
async fn recover(world: &World) {
    let next = world.reopened().await;
    for _ in 0..3 {
        world.travel(301);
        next.run_cluster(&cluster(CLUSTER), RunScope::All, "next").await.unwrap();
    }
    next.repair_audit(&cluster(CLUSTER), UtcTimestamp::default()).await.unwrap();
}

async fn check(world: &World, key: &WorkloadKey, what: &str) {
    let workload = world.workload(key).await;
    let state = (workload.migration_status, workload.secret_backend);
    assert_eq!(state, (MigrationStatus::Migrated, SecretBackend::Smp), "{what}");
    let versions = world.target.versions();
    assert_eq!(versions.len(), 3, "{what}");
    assert!(versions.values().all(|count| *count == 1), "{what}: {versions:?}");
    let actions = world.actions(key).await;
    let count = |action: &str| actions.iter().filter(|one| *one == action).count();
    assert_eq!((count("switch"), count("finish")), (1, 1), "{what}: {actions:?}");
    // Restarts of one switch have one number, however often they are triggered.
    let numbers: std::collections::BTreeSet<u64> =
        world.restarts.triggers().into_iter().map(|trigger| trigger.2).collect();
    assert_eq!(numbers.len(), 1, "{what}");
    world.assert_sound(CLUSTER).await;
}

#[tokio::test]
async fn sm_a9_worker_killed_at_each_step() {
    let mut crashes = 0;
    for step in MigrationStep::ALL {
        for recorded in [false, true] {
            for time in 0..3 {
                let (world, key) = World::with_workload::<Embedded>().await;
                let victim = world.reopened().await;
                let at = (step, recorded);
                victim.observe_steps(Arc::new(CrashAt { at, left: AtomicUsize::new(time) }));
                let crashed = tokio::spawn(async move {
                    victim.run_cluster(&cluster(CLUSTER), RunScope::All, "victim").await.unwrap();
                });
                crashes += usize::from(crashed.await.is_err());
                recover(&world).await;
                check(&world, &key, &format!("{step:?}, recorded {recorded}, time {time}")).await;
            }
        }
    }
    // Claim, switch and finish are recorded by their own write; six steps before and after their entry; three paths.
    assert_eq!(crashes, 3 + 2 * 6 + 3);
}

#[tokio::test]
async fn sm_a9_worker_stopped_before_and_after_every_request_to_the_account() {
    let mut stops = 0;
    for fault in [Fault::StopBefore, Fault::StopAfter] {
        for request in 0.. {
            let (world, key) = World::with_workload::<Embedded>().await;
            let faults = Faults::new();
            let platforms = secret_migration::Platforms {
                source: Arc::new(world.vault.clone()),
                target: Arc::new(world.target.clone()),
                rollout: Arc::new(world.restarts.clone()),
            };
            let victim = secret_migration::SecretMigration::open(
                world.account.with_faults(faults.clone()),
                world.system.settings().clone(),
                world.environment.clone(),
                platforms,
            );
            let victim = victim.await.unwrap();
            (0..request).for_each(|_| faults.next(Fault::None));
            faults.next(fault);
            let run = tokio::spawn(async move {
                victim.run_cluster(&cluster(CLUSTER), RunScope::All, "victim").await.unwrap();
            });
            while !run.is_finished() && faults.injected() == 0 {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
            let is_stopped = faults.injected() > 0;
            if is_stopped {
                // A request that is stopped after its effect still has to have it.
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                assert!(!run.is_finished(), "the call that is stopped never returns");
                run.abort();
            }
            if !is_stopped {
                break;
            }
            stops += 1;
            recover(&world).await;
            check(&world, &key, &format!("{fault:?} at request {request}")).await;
        }
    }
    assert!(stops >= 40, "{stops}");
}

#[tokio::test]
async fn a_workload_that_loses_every_worker_is_held_or_rolled_back() {
    for (step, expected) in [
        (MigrationStep::ReadSource, (MigrationStatus::Pending, SecretBackend::Hashi)),
        (MigrationStep::Rollout, (MigrationStatus::RolledBack, SecretBackend::Hashi)),
    ] {
        let (world, key) = World::with_workload::<Embedded>().await;
        for _ in 0..8 {
            let victim = world.reopened().await;
            let at = (step, false);
            victim.observe_steps(Arc::new(CrashAt { at, left: AtomicUsize::new(0) }));
            let _ = tokio::spawn(async move {
                victim.run_cluster(&cluster(CLUSTER), RunScope::All, "victim").await.unwrap();
            })
            .await;
            world.travel(301);
        }
        let workload = world.workload(&key).await;
        assert_eq!((workload.migration_status, workload.secret_backend), expected, "{step:?}");
        assert_eq!(workload.attempts, 5);
        assert_eq!(workload.paused, step == MigrationStep::ReadSource);
        world.assert_sound(CLUSTER).await;
    }
}
