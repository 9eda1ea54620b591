//! Our event store, on any of its storages.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use client::{Account, Environment, StorageLocation};
use event_store::sample::sample_projectors;
use event_store::{
    AccountStorage, AccountStoreOptions, AppendRequest, ErrorKind, EventDraft, EventStore,
    EventStoreSettings, EventStoreSystem, EventTag, MemoryPayloads, PostgresOptions,
    PostgresSchema, PostgresStorage, ServiceId, StorageBundle, Upcasters,
};

use super::store::{LoadedStore, PAYLOAD};
use crate::Result;
use crate::meter::now;

const TENANT: &str = "measured";
const WAIT: Duration = Duration::from_secs(5);

/// A tenant of our store.
pub(super) struct OurStore {
    system: EventStoreSystem,
    service: ServiceId,
    events: EventStore,
    payload: serde_json::Value,
}

impl OurStore {
    fn new(storage: StorageBundle) -> Result<Self> {
        let (settings, upcasters) = (EventStoreSettings::default(), Upcasters::default());
        let system = EventStoreSystem::new(storage, settings, sample_projectors(), upcasters);
        let service = ServiceId::parse(TENANT)?;
        let events = system.scope_of(&service).events;
        Ok(Self { system, service, events, payload: serde_json::from_str(PAYLOAD)? })
    }

    /// On an account in a folder, durable at each write.
    pub(super) async fn embedded(folder: &Path) -> Result<(Self, Account)> {
        let account = Account::embedded(StorageLocation::Folder(folder.to_owned())).await?;
        let payloads = Arc::new(MemoryPayloads::default());
        let options = AccountStoreOptions::default();
        let storage = AccountStorage::open(account.clone(), options, payloads).await?;
        Ok((Self::new(storage)?, account))
    }

    /// On PostgreSQL.
    pub(super) async fn postgres(address: &str) -> Result<Self> {
        let options =
            PostgresOptions { connections_max: 60, ..PostgresOptions::new(address.to_owned()) };
        PostgresSchema::new(&options)?.migrate().await?;
        let payloads = Arc::new(MemoryPayloads::default());
        Self::new(PostgresStorage::open(&options, &Environment::system(), payloads).await?)
    }

    fn draft(&self, tags: &[String]) -> Result<EventDraft> {
        let tags = tags.iter().map(|tag| EventTag::parse(tag));
        let tags = tags.collect::<event_store::Result<_>>()?;
        // Not of the sample domain, so that projecting it costs what reading it costs.
        Ok(EventDraft::new("Measured", self.payload.clone(), tags))
    }
}

#[async_trait]
impl LoadedStore for OurStore {
    async fn append(&self, events: usize, tags: &[String]) -> Result<()> {
        let drafts = (0..events).map(|_| self.draft(tags)).collect::<Result<_>>()?;
        self.events.append(AppendRequest::new(drafts)).await?;
        Ok(())
    }

    async fn append_if_unchanged(&self, tag: &str) -> Result<bool> {
        let parsed = EventTag::parse(tag)?;
        let seen = self.events.latest_tag(&parsed).await?.map(|row| row.sortable_unique_id);
        let request = AppendRequest::new(vec![self.draft(&[tag.to_owned()])?]);
        match self.events.append(request.expecting([(parsed, seen)])).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn append_tagged(&self, tags: &[String]) -> Result<()> {
        let drafts = tags.iter().map(|tag| self.draft(std::slice::from_ref(tag)));
        let request = AppendRequest::new(drafts.collect::<Result<_>>()?);
        self.events.append(request).await?;
        Ok(())
    }

    async fn read_tag(&self, tag: &str) -> Result<usize> {
        Ok(self.events.read_by_tag(&EventTag::parse(tag)?, None).await?.len())
    }

    async fn read_all(&self) -> Result<usize> {
        let (mut count, mut after) = (0, None);
        loop {
            let events = self.events.read_all(after, Some(1_000)).await?;
            let Some(last) = events.last() else { return Ok(count) };
            after = Some(last.sortable_unique_id.clone());
            count += events.len();
        }
    }

    async fn project(&self) -> Result<Option<usize>> {
        let mut runner = self.system.projections().runner(&self.service, "School").await?;
        runner.restart();
        runner.catch_up().await?;
        Ok(Some(usize::try_from(runner.status().events_processed)?))
    }

    async fn live(&self, times: usize) -> Result<Option<Vec<Duration>>> {
        let mut reader = self.events.feed_from_end().await?;
        while !reader.next_page().await?.is_empty() {}
        let mut found = Vec::new();
        for _ in 0..times {
            let (started, events) = (now(), self.events.clone());
            let request = AppendRequest::new(vec![self.draft(&[])?]);
            let appended = tokio::spawn(async move { events.append(request).await });
            while reader.wait_for_page(WAIT).await?.is_empty() {}
            found.push(started.elapsed());
            appended.await??;
        }
        Ok(Some(found))
    }
}
