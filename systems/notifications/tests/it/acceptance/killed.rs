//! A worker process killed with SIGKILL at every step: on a folder that it has opened itself, or connected over HTTP to
//! a server that keeps running. NT-A11.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use client::{Account, Environment, TravellingClock};
use notifications::delivery::{Delivery, DeliveryResult, Push};
use notifications::{
    Device, DispatchStep, EventStatus, EventType, ListOptions, NotificationSettings, Notifications,
};

use super::ask::Way;
use crate::world::{counted, event, keyed, registration, user};

/// The worker program, built together with this test.
fn worker() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let profile = this.parent().and_then(Path::parent).unwrap();
    let worker = profile.join("examples").join("dispatch_worker");
    assert!(
        worker.exists(),
        "build it first: cargo test -p notifications builds it, one test alone does not"
    );
    worker
}

/// Writes pushes to the same file as the worker.
struct Noted(PathBuf);

#[async_trait]
impl Delivery for Noted {
    async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        let mut text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.push_str(&format!("{} {}\n", device.device_id.as_str(), push.collapse_id));
        std::fs::write(&self.0, text).unwrap();
        DeliveryResult::Delivered { provider_id: "noted".to_owned() }
    }
}

/// The account and the file of pushes.
struct Ground {
    /// As one setting names an account.
    place: String,
    pushes: PathBuf,
}

impl Ground {
    async fn open(&self, environment: Environment) -> (Account, Notifications) {
        let account = Account::open(&self.place).await.unwrap();
        let delivery = Arc::new(Noted(self.pushes.clone()));
        let system = Notifications::open(
            account.clone(),
            NotificationSettings::default(),
            environment,
            delivery,
        );
        (account, system.await.unwrap())
    }
}

/// Two events that become one notification and one of its own, for a user with two devices.
async fn fill(ground: &Ground) -> Vec<notifications::NotificationEvent> {
    let (account, system) = ground.open(Environment::system()).await;
    // No quiet hours: the test may run at night.
    let no_quiet_hours = serde_json::json!({ "quietHours": vec![false; 24] });
    let no_quiet_hours = notifications::PreferencesChange::parse(no_quiet_hours).unwrap();
    system.change_preferences(&user("bob"), &no_quiet_hours).await.unwrap();
    for device in ["d1", "d2"] {
        system.register_device(&user("bob"), &registration(device, device)).await.unwrap();
    }
    let mut events = Vec::new();
    for (key, actor) in [("k", "alice"), ("k", "carol"), ("other", "dave")] {
        let sent = system.enqueue(keyed(key, event(EventType::PostLike, actor))).await.unwrap();
        events.push(sent.value);
    }
    drop(system);
    account.close().await.unwrap();
    events
}

/// Runs the worker until it stops at the step, and kills it. Returns whether it reached the step.
fn kill_at(ground: &Ground, step: DispatchStep) -> bool {
    let mut child = Command::new(worker())
        .args([&ground.place, ground.pushes.to_str().unwrap(), &format!("{step:?}")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    // This is signal 9: the process has no chance to clean up.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(["reached\n", "finished\n"].contains(&line.as_str()), "{step:?}: {line:?}");
    line == "reached\n"
}

async fn heal_and_check(ground: &Ground, events: &[notifications::NotificationEvent], what: &str) {
    let now = Environment::system().now();
    let clock = TravellingClock::starting_at(now);
    let (account, system) = ground.open(Environment::travelling(Arc::clone(&clock), 7)).await;
    let next = system.dispatcher("next").await.unwrap();
    for _ in 0..3 {
        next.run_once().await.unwrap();
        clock.travel(std::time::Duration::from_secs(181));
        system.sweep().await.unwrap();
        next.run_once().await.unwrap();
    }
    let mut statuses = Vec::new();
    for event in events {
        let events = &system.containers().events;
        let stored = events
            .read::<notifications::NotificationEvent>(&"bob".into(), &event.id)
            .await
            .unwrap();
        statuses.push(stored.value.value.status);
    }
    let done = statuses.iter().filter(|status| **status == EventStatus::Completed).count();
    let added = statuses.iter().filter(|status| **status == EventStatus::Deduplicated).count();
    assert_eq!((done, added), (2, 1), "{what}: {statuses:?}");
    let list =
        system.list(&user("bob"), &ListOptions::default()).await.unwrap().value.notifications;
    let mut counts: Vec<_> = list.iter().map(|one| one.count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [Some(1), Some(2)], "{what}: {list:?}");
    let pushes = std::fs::read_to_string(&ground.pushes).unwrap();
    let by_target = counted(pushes.lines().map(str::to_owned));
    assert_eq!(by_target.len(), 4, "{what}: two devices, two notifications: {by_target:?}");
    assert!(by_target.values().all(|count| *count <= 2), "{what}: {by_target:?}");
    account.close().await.unwrap();
}

pub(crate) async fn nt_a11_a_process_killed_at_any_step_loses_and_doubles_nothing<W: Way>() {
    let mut killed = 0;
    for step in DispatchStep::ALL {
        let folder = tempfile::tempdir().unwrap();
        let (place, _server) = W::place(folder.path()).await;
        let ground = Ground { place, pushes: folder.path().join("pushes") };
        let events = fill(&ground).await;
        killed += usize::from(tokio::task::block_in_place(|| kill_at(&ground, step)));
        heal_and_check(&ground, &events, &format!("{step:?}")).await;
    }
    assert_eq!(killed, DispatchStep::ALL.len());
}
