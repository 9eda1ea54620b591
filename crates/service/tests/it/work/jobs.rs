//! Periodic jobs: one leader, its replacement, status, back-off.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use client::{Account, Container, Fault, Faults, Query};
use serde::{Deserialize, Serialize};
use service::work::{Job, JobFailure, JobRun, Jobs, JobsSettings, Moment};

use crate::world::{Dice, World, land, on};

const MINUTE: Duration = Duration::from_secs(60);

/// A job that counts its runs, and fails the first times.
#[derive(Clone, Default)]
struct Counter {
    runs: Arc<AtomicU32>,
    failures: u32,
}

impl Counter {
    fn jobs(&self, container: &Container, instance: &str) -> Jobs {
        let counter = self.clone();
        jobs(container, instance).with(every_minute(), move |_run| counter.clone().run())
    }

    async fn run(self) -> Result<(), JobFailure> {
        match self.runs.fetch_add(1, Ordering::SeqCst) < self.failures {
            true => Err("the store is closed".into()),
            false => Ok(()),
        }
    }

    fn count(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }
}

fn every_minute() -> Job {
    Job::every("count", MINUTE)
}

fn jobs(container: &Container, instance: &str) -> Jobs {
    let settings = JobsSettings { instance: instance.to_owned(), ..JobsSettings::default() };
    Jobs::new(container, settings)
}

#[tokio::test]
async fn a_job_runs_at_once_and_then_every_interval_on_one_instance() {
    let world = World::new(1).await;
    let leases = world.container("leases", "/id").await;
    let counter = Counter::default();
    let (one, two) = (counter.jobs(&leases, "one"), counter.jobs(&leases, "two"));
    assert!(one.status().await.unwrap().is_empty());
    for round in 1..=5 {
        one.run_due().await.unwrap();
        two.run_due().await.unwrap();
        assert_eq!(counter.count(), round);
        world.travel(59);
        assert_eq!((one.run_due().await.unwrap(), two.run_due().await.unwrap()), (0, 0));
        // The jitter is a tenth at most.
        world.travel(7);
    }
    let status = two.status().await.unwrap().remove(0);
    assert_eq!((status.name.as_str(), status.runs, status.failures), ("count", 5, 0));
    assert_eq!((status.owner, status.last_error), (None, None));
    assert!(status.last_ended_at.unwrap() < Moment::now(leases.account().environment()));
}

#[tokio::test]
async fn instances_that_look_at_the_same_moment_run_it_once() {
    let world = World::new(1).await;
    let leases = world.container("leases", "/id").await;
    let counter = Counter::default();
    let (one, two) = (counter.jobs(&leases, "one"), counter.jobs(&leases, "two"));
    let (one, two) = tokio::join!(one.run_due(), two.run_due());
    assert_eq!(one.unwrap() + two.unwrap(), 1);
    assert_eq!(counter.count(), 1);
}

#[tokio::test]
async fn a_failed_job_says_why_and_is_tried_again_sooner_than_its_interval() {
    let world = World::new(1).await;
    let leases = world.container("leases", "/id").await;
    let counter = Counter { failures: 2, ..Counter::default() };
    let daily = Job::every("count", Duration::from_secs(86_400)).jitter_percent(0);
    let run = counter.clone();
    let jobs = jobs(&leases, "one").with(daily, move |_run| run.clone().run());
    for (failures, wait_seconds) in [(1, 30), (2, 60)] {
        assert_eq!(jobs.run_due().await.unwrap(), 1);
        let status = jobs.status().await.unwrap().remove(0);
        assert_eq!((status.runs, status.failures), (0, failures));
        assert_eq!(u64::from(status.failures_in_a_row), failures);
        assert_eq!(status.last_error.as_deref(), Some("the store is closed"));
        let wait = status.next_run_at.since(Moment::now(leases.account().environment()));
        assert_eq!(wait, Duration::from_secs(wait_seconds));
        world.travel(wait_seconds);
    }
    assert_eq!(jobs.run_due().await.unwrap(), 1);
    let status = jobs.status().await.unwrap().remove(0);
    assert_eq!((status.runs, status.failures, status.failures_in_a_row), (1, 2, 0));
    assert_eq!(status.last_error, None);
}

/// A job that ticks once, under the lease of its run.
#[derive(Debug, Serialize, Deserialize)]
struct Tick {
    id: String,
    tick: String,
}

fn ticking(account: &Account, instance: &str) -> Jobs {
    let ticks = on(account, "ticks");
    jobs(&on(account, "leases"), instance).with(every_minute(), move |run: JobRun| {
        let ticks = ticks.clone();
        async move {
            // One item for each run, however often its write is repeated.
            let now = Moment::now(ticks.account().environment());
            let tick = Tick { id: now.to_string(), tick: "tick".to_owned() };
            run.renew().await.map_err(|error| format!("{error:?}"))?;
            ticks.upsert(&"tick".into(), &tick, None).await?;
            Ok(())
        }
    })
}

#[tokio::test]
async fn a_leader_that_ends_at_any_request_is_replaced_after_its_lease() {
    for stop in [Fault::StopBefore, Fault::StopAfter] {
        let mut request = 0;
        loop {
            let world = World::new(request).await;
            let leases = world.container("leases", "/id").await;
            world.container("ticks", "/tick").await;
            let faults = Faults::new();
            (0..request).for_each(|_| faults.next(Fault::None));
            faults.next(stop);
            let first = ticking(&world.suffering(&faults), "first");
            let ended = faults.until_stopped(first.run_due()).await;
            let second = ticking(&world.account, "second");
            if ended.is_none() && leader(&second).await.is_some() {
                assert_eq!(
                    second.run_due().await.unwrap(),
                    0,
                    "the lease lasts: {request} {stop:?}"
                );
            }
            world.travel(301);
            assert_eq!(second.run_due().await.unwrap(), 1, "{request} {stop:?}");
            let status = second.status().await.unwrap().remove(0);
            assert!(status.runs >= 1 && status.owner.is_none(), "{status:?}");
            assert_eq!(status.failures_in_a_row, 0);
            let _ = leases;
            if ended.is_some() {
                break;
            }
            request += 1;
        }
        assert!(request >= 5, "{request} requests only");
    }
}

async fn leader(jobs: &Jobs) -> Option<String> {
    jobs.status().await.unwrap().into_iter().find_map(|status| status.owner)
}

#[tokio::test]
async fn a_job_that_outlived_its_lease_is_told_and_cannot_write_its_status() {
    let world = World::new(1).await;
    let leases = world.container("leases", "/id").await;
    let (clock, told) = (Arc::clone(&world.clock), Arc::new(AtomicU32::new(0)));
    let quick = Counter::default();
    let second = quick.jobs(&leases, "second");
    let was_told = Arc::clone(&told);
    let slow = jobs(&leases, "first").with(every_minute(), move |run: JobRun| {
        let (clock, second, told) = (Arc::clone(&clock), second.clone(), Arc::clone(&was_told));
        async move {
            clock.travel(Duration::from_secs(301));
            second.run_due().await?;
            if run.renew().await.is_err() {
                told.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        }
    });
    slow.run_due().await.unwrap();
    assert_eq!((quick.count(), told.load(Ordering::SeqCst)), (1, 1));
    let status = slow.status().await.unwrap().remove(0);
    // The one run that counts is the second's; the first was lost.
    assert_eq!((status.runs, status.failures), (1, 1));
}

#[tokio::test]
async fn jobs_go_through_faults_of_every_seed() {
    let mut runs = 0;
    for seed in 0..25 {
        let world = World::new(seed).await;
        world.container("leases", "/id").await;
        let ticks = world.container("ticks", "/tick").await;
        let faults = Faults::new();
        let mut dice = Dice::new(seed);
        dice.plan(&faults, 300, 3);
        let account = world.suffering(&faults);
        let (one, two) = (ticking(&account, "one"), ticking(&account, "two"));
        for _ in 0..60 {
            faults.until_stopped(async { tokio::join!(one.run_due(), two.run_due()) }).await;
            world.travel(20 + dice.below(40));
        }
        let plain = ticking(&world.account, "plain");
        land().await;
        world.travel(301);
        assert_eq!(plain.run_due().await.unwrap(), 1, "seed {seed}");
        let status = plain.status().await.unwrap().remove(0);
        let all = Query::text("SELECT VALUE COUNT(1) FROM c").within("tick".into());
        let count = ticks.query::<u64>(&all).await.unwrap().value[0];
        // Every run that was counted has ticked, and none is counted twice.
        assert!(status.runs >= 2 && count >= status.runs, "seed {seed}: {count} {status:?}");
        assert!(faults.injected() > 30, "seed {seed}");
        runs += status.runs;
    }
    assert!(runs > 150, "{runs} runs of 25 seeds");
}

#[tokio::test]
async fn started_jobs_run_by_themselves_until_they_are_stopped() {
    let world = World::new(1).await;
    let leases = world.container("leases", "/id").await;
    let counter = Counter::default();
    let jobs = counter.jobs(&leases, "one");
    jobs.start();
    while counter.count() < 3 {
        tokio::task::yield_now().await;
    }
    jobs.stop().await;
    let ran = counter.count();
    for _ in 0..100 {
        world.travel(60);
        tokio::task::yield_now().await;
    }
    assert_eq!(counter.count(), ran);
    jobs.start();
    while counter.count() == ran {
        tokio::task::yield_now().await;
    }
    drop(jobs);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let ran = counter.count();
    for _ in 0..100 {
        world.travel(60);
        tokio::task::yield_now().await;
    }
    assert_eq!(counter.count(), ran);
}
