//! The system opened, its people, and taking events in.
//!
//! Owns that the queue has two physical partitions, so that both workers have a share of the change feed. Everything
//! else is as `planisphere notifications serve` has it, but for the window of dedupe keys, which outlives the run.

use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use client::Account;
use engine::operation::SplitPartition;
use engine::{ContainerLink, Engine};
use indicatif::ProgressBar;
use notifications::delivery::{Delivery, DeliveryResult, Push};
use notifications::{
    Device, DeviceId, DeviceRegistration, Dispatcher, NewEvent, NotificationSettings,
    Notifications, Platform, PreferencesChange, PushToken, QuietHours, UserId,
};
use storage_lsm::Durability;
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::super::mix::{CALLERS, DEDUPE_MINUTES, Mix, MixEvent};
use crate::meter::folder_bytes;
use crate::{Error, Result, data, progress};

/// The store's threads end within this after it was closed.
const CLOSING: Duration = Duration::from_millis(500);

/// The system with what the run asks of it.
pub(in crate::notifications) struct Ours {
    pub(super) system: Notifications,
    pub(super) engine: Engine,
    pub(super) workers: [Arc<Dispatcher>; 2],
    pub(super) mix: Mix,
    folder: TempDir,
}

/// A provider that accepts every push immediately.
struct InstantProvider;

#[async_trait]
impl Delivery for InstantProvider {
    async fn push(&self, _: &Device, push: &Push) -> DeliveryResult {
        DeliveryResult::Delivered { provider_id: push.collapse_id.clone() }
    }
}

impl Ours {
    /// Opens the system on a new folder, with two workers that share the queue.
    pub(in crate::notifications) async fn open(mix: Mix) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("benchmarks-notifications").tempdir()?;
        let engine = data::open(folder.path(), Durability::Synced, None).await?;
        let account = Account::embedded(engine.clone()).await?;
        let settings = NotificationSettings {
            dedupe_minutes: DEDUPE_MINUTES,
            ..NotificationSettings::default()
        };
        let queue = ContainerLink::new(&settings.database, "notification_events")?;
        let environment = account.environment().clone();
        let system =
            Notifications::open(account, settings, environment, Arc::new(InstantProvider)).await?;
        engine.split_partition(SplitPartition { container: queue, partition: 0, at: None }).await?;
        let workers = [system.dispatcher("first").await?, system.dispatcher("second").await?];
        let workers = workers.map(Arc::new);
        // The first takes the whole feed and the second half of it from the first.
        for _ in 0..2 {
            for worker in &workers {
                worker.run_once().await?;
            }
        }
        Ok(Self { system, engine, workers, mix, folder })
    }

    /// Writes what every person wants, and their devices.
    pub(in crate::notifications) async fn make_people(&self) -> Result<()> {
        let (system, mix) = (self.system.clone(), self.mix);
        let bar = progress::bar(mix.people, "people");
        each(0..mix.people, &bar, move |number| {
            let system = system.clone();
            async move { make_person(&system, &mix, number).await }
        })
        .await
    }

    /// Takes events in, many callers at once.
    pub(in crate::notifications) async fn enqueue(&self, numbers: Range<u64>) -> Result<()> {
        let (system, mix) = (self.system.clone(), self.mix);
        let bar = progress::bar(numbers.end - numbers.start, "enqueueing");
        each(numbers, &bar, move |number| {
            let (system, event) = (system.clone(), new_event(mix.event(number)));
            async move {
                system.enqueue(event?).await?;
                Ok(())
            }
        })
        .await
    }

    /// Bytes on disk, and how many of them are journal.
    pub(in crate::notifications) fn disk_bytes(&self) -> Result<(u64, u64)> {
        let all = folder_bytes(self.folder.path())?;
        let mut journal = 0;
        for entry in std::fs::read_dir(self.folder.path().join("lsm"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jnl") {
                journal += path.metadata().map_or(0, |metadata| metadata.blocks() * 512);
            }
        }
        Ok((all, journal))
    }

    /// Closes the store.
    pub(in crate::notifications) async fn close(self) -> Result<()> {
        let Self { system, engine, workers, folder, .. } = self;
        system.account().close().await?;
        drop((system, engine, workers));
        // Threads of the store may still write for a moment, and a folder that gets a new file stays.
        tokio::time::sleep(CLOSING).await;
        drop(folder);
        Ok(())
    }
}

/// Does something for every number, many at once.
async fn each<F, W>(numbers: Range<u64>, bar: &ProgressBar, work: F) -> Result<()>
where
    F: Fn(u64) -> W + Clone + Send + 'static,
    W: Future<Output = Result<()>> + Send + 'static,
{
    let next = Arc::new(AtomicU64::new(numbers.start));
    let mut tasks = JoinSet::new();
    for _ in 0..CALLERS {
        let (next, bar, work) = (Arc::clone(&next), bar.clone(), work.clone());
        let end = numbers.end;
        tasks.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return Ok::<_, Error>(());
                }
                work(number).await?;
                bar.inc(1);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    bar.finish_and_clear();
    Ok(())
}

async fn make_person(system: &Notifications, mix: &Mix, number: u64) -> Result<()> {
    let person = mix.person(number);
    let user = UserId::parse(&person.id)?;
    let change = PreferencesChange {
        quiet_hours: Some(QuietHours([person.quiet; 24])),
        social: Some(person.social),
        marketing: Some(person.marketing),
        ..PreferencesChange::default()
    };
    system.change_preferences(&user, &change).await?;
    for platform in &person.devices {
        let name = device_name(&person.id, *platform);
        let registration = DeviceRegistration {
            device_id: DeviceId::parse(&name)?,
            push_token: PushToken::parse(format!("token-of-{name}"))?,
            platform: *platform,
            label: Some("phone".to_owned()),
        };
        system.register_device(&user, &registration).await?;
    }
    Ok(())
}

/// The installation of a person on a platform.
fn device_name(person: &str, platform: Platform) -> String {
    format!("{}-{person}", platform.name())
}

pub(super) fn new_event(event: MixEvent) -> Result<NewEvent> {
    let MixEvent { user_id, event_type, payload, dedupe_key } = event;
    Ok(NewEvent {
        user_id: UserId::parse(user_id)?,
        event_type,
        payload,
        dedupe_key: Some(dedupe_key),
        scheduled_at: None,
        idempotency_key: None,
    })
}
