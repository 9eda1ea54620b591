//! The provider in memory: the reference for the others, and for tests of domains.
//!
//! One lock for everything, so an append is atomic and the order of ids is the order of appends.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use client::Environment;
use service::timestamp::UtcTimestamp;

use super::{
    AdminStorage, AppendSignal, DomainEventPage, DomainFeedPage, EventStorage, RepairReport,
    SaveMode, StateStorage, StorageBundle, StoreActivity, StoredProjectionState,
};
use crate::domain::{
    AppendCondition, AppendReceipt, DomainEvent, DomainEventId, EventRead, EventTag, FeedPosition,
    PreparedAppend, PreparedEvent, ReadPosition, SortableIdGenerator, SortableUniqueId, TagRow,
    TagSummary,
};
use crate::error::{Error, ErrorKind, Result, TagConflict};
use crate::offload::MemoryPayloads;
use crate::service_id::ServiceId;

/// The provider in memory.
pub struct MemoryStorage {
    environment: Environment,
    ids: SortableIdGenerator,
    tenants: Mutex<BTreeMap<ServiceId, TenantEvents>>,
    signal: AppendSignal,
}

/// Everything of one tenant.
#[derive(Default)]
struct TenantEvents {
    /// In the order of appends, which is that of their ids.
    events: Vec<DomainEvent>,
    by_id: HashMap<DomainEventId, usize>,
    by_tag: BTreeMap<EventTag, Vec<usize>>,
    states: BTreeMap<(String, String), StoredProjectionState>,
}

impl MemoryStorage {
    /// An empty one.
    #[must_use]
    pub fn bundle(environment: &Environment) -> StorageBundle {
        let storage = Arc::new(Self {
            environment: environment.clone(),
            ids: SortableIdGenerator::new(environment.clone()),
            tenants: Mutex::default(),
            signal: AppendSignal::default(),
        });
        StorageBundle {
            events: Arc::clone(&storage) as Arc<dyn EventStorage>,
            states: Arc::clone(&storage) as Arc<dyn StateStorage>,
            admin: storage,
            payloads: Arc::new(MemoryPayloads::default()),
            environment: environment.clone(),
            activity: StoreActivity::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ServiceId, TenantEvents>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, service: &ServiceId, read: impl FnOnce(&TenantEvents) -> T) -> T {
        match self.lock().get(service) {
            Some(tenant) => read(tenant),
            None => read(&TenantEvents::default()),
        }
    }
}

impl TenantEvents {
    fn version(&self, tag: &EventTag) -> Option<&SortableUniqueId> {
        let last = self.by_tag.get(tag)?.last()?;
        self.events.get(*last).map(|event| &event.sortable_unique_id)
    }

    /// The positions of an earlier attempt, if this append is its repeat.
    fn earlier(&self, append: &PreparedAppend) -> Result<Option<Vec<SortableUniqueId>>> {
        let mut positions = Vec::new();
        for event in &append.events {
            let Some(stored) = self.by_id.get(&event.id).and_then(|at| self.events.get(*at)) else {
                continue;
            };
            if !append.is_repeatable || !stored.has_content_of(&event.draft) {
                return Err(PreparedAppend::exists(event.id));
            }
            positions.push(stored.sortable_unique_id.clone());
        }
        match positions.len() {
            0 => Ok(None),
            all if all == append.events.len() => Ok(Some(positions)),
            _ => Err(append.events.first().map_or_else(
                || Error::internal("an append has an event"),
                |event| PreparedAppend::exists(event.id),
            )),
        }
    }

    fn check(&self, condition: &AppendCondition) -> Result<()> {
        match condition {
            AppendCondition::None => Ok(()),
            AppendCondition::Tags(expected) => {
                let wrong = expected.iter().filter(|(tag, id)| self.version(tag) != id.as_ref());
                let conflicts: Vec<_> = wrong
                    .map(|(tag, expected)| TagConflict {
                        tag: tag.clone(),
                        expected: expected.clone(),
                        actual: self.version(tag).cloned(),
                    })
                    .collect();
                if conflicts.is_empty() { Ok(()) } else { Err(Error::tag_conflict(conflicts)) }
            }
            AppendCondition::Query { fail_if_events_match, after } => {
                let after = after.as_ref().and_then(ReadPosition::last);
                let is_new =
                    |one: &&DomainEvent| after.is_none_or(|id| one.sortable_unique_id > *id);
                let newer = self.events.iter().rev().take_while(is_new);
                match newer.into_iter().find(|event| fail_if_events_match.matches(event)) {
                    Some(event) => Err(Error::query_conflict(&event.id.to_string())),
                    None => Ok(()),
                }
            }
        }
    }

    fn push(&mut self, event: DomainEvent) {
        let at = self.events.len();
        self.by_id.insert(event.id, at);
        for tag in &event.tags {
            self.by_tag.entry(tag.clone()).or_default().push(at);
        }
        self.events.push(event);
    }
}

pub(crate) fn stored_event(
    event: &PreparedEvent,
    position: SortableUniqueId,
    timestamp: UtcTimestamp,
) -> DomainEvent {
    let draft = event.draft.clone();
    DomainEvent {
        id: event.id,
        sortable_unique_id: position,
        event_type: draft.event_type,
        event_version: draft.event_version,
        payload: draft.payload,
        tags: draft.tags,
        timestamp,
        causation_id: draft.causation_id,
        correlation_id: draft.correlation_id,
        executed_user: draft.executed_user,
    }
}

pub(crate) fn row_of(event: &DomainEvent, tag: &EventTag) -> TagRow {
    TagRow {
        tag: tag.clone(),
        event_id: event.id,
        sortable_unique_id: event.sortable_unique_id.clone(),
        event_type: event.event_type.clone(),
        // From the id and not from the clock: a row that is written again has the same bytes.
        created_at: event.sortable_unique_id.time(),
    }
}

#[async_trait]
impl EventStorage for MemoryStorage {
    async fn append(&self, service: &ServiceId, append: &PreparedAppend) -> Result<AppendReceipt> {
        let mut tenants = self.lock();
        let tenant = tenants.entry(service.clone()).or_default();
        if let Some(positions) = tenant.earlier(append)? {
            return Ok(append.receipt(&positions, true));
        }
        tenant.check(&append.condition)?;
        let now = UtcTimestamp::now(&self.environment);
        let mut positions = Vec::new();
        for event in &append.events {
            let position = self.ids.next_after(None);
            positions.push(position.clone());
            tenant.push(stored_event(event, position, now));
        }
        drop(tenants);
        self.signal.wake();
        Ok(append.receipt(&positions, false))
    }

    async fn read(&self, service: &ServiceId, read: &EventRead) -> Result<DomainEventPage> {
        let most = read.events_max.unwrap_or(usize::MAX);
        let mut events: Vec<_> = self.with(service, |tenant| {
            let after = read.after.as_ref();
            let newer = tenant.events.iter();
            let newer =
                newer.filter(|one| after.is_none_or(|after| one.sortable_unique_id > *after));
            let matching = newer.filter(|event| read.query.matches(event));
            matching.take(most.saturating_add(1)).cloned().collect()
        });
        let has_more = events.len() > most;
        events.truncate(most);
        let last = events.last().map(|event| event.sortable_unique_id.clone());
        let position = ReadPosition { last: last.or(read.after.clone()), ..Default::default() };
        Ok(DomainEventPage { events, position, has_more })
    }

    async fn event(&self, service: &ServiceId, id: DomainEventId) -> Result<Option<DomainEvent>> {
        Ok(self.with(service, |tenant| {
            tenant.by_id.get(&id).and_then(|at| tenant.events.get(*at)).cloned()
        }))
    }

    async fn tag_rows(
        &self,
        service: &ServiceId,
        tag: &EventTag,
        since: Option<&SortableUniqueId>,
    ) -> Result<Vec<TagRow>> {
        Ok(self.with(service, |tenant| {
            let events = tenant.by_tag.get(tag).into_iter().flatten();
            let events = events.filter_map(|at| tenant.events.get(*at));
            let newer = events.filter(|one| since.is_none_or(|id| one.sortable_unique_id > *id));
            newer.map(|event| row_of(event, tag)).collect()
        }))
    }

    async fn latest_tag(&self, service: &ServiceId, tag: &EventTag) -> Result<Option<TagRow>> {
        Ok(self.tag_rows(service, tag, None).await?.pop())
    }

    async fn all_tags(&self, service: &ServiceId, group: Option<&str>) -> Result<Vec<TagSummary>> {
        Ok(self.with(service, |tenant| {
            let mut summaries: BTreeMap<&EventTag, TagSummary> = BTreeMap::new();
            for event in &tenant.events {
                let id = &event.sortable_unique_id;
                for tag in event.tags.iter().filter(|tag| group.is_none_or(|g| tag.group() == g)) {
                    summaries
                        .entry(tag)
                        .and_modify(|summary| summary.add(id))
                        .or_insert_with(|| TagSummary::of(tag.clone(), id));
                }
            }
            summaries.into_values().collect()
        }))
    }

    async fn event_count(
        &self,
        service: &ServiceId,
        since: Option<&SortableUniqueId>,
    ) -> Result<u64> {
        Ok(self.with(service, |tenant| {
            let newer = tenant.events.iter();
            newer.filter(|one| since.is_none_or(|id| one.sortable_unique_id > *id)).count() as u64
        }))
    }

    async fn latest_id(&self, service: &ServiceId) -> Result<Option<SortableUniqueId>> {
        let last = |tenant: &TenantEvents| {
            tenant.events.last().map(|event| event.sortable_unique_id.clone())
        };
        Ok(self.with(service, last))
    }

    async fn feed(
        &self,
        service: &ServiceId,
        after: Option<&FeedPosition>,
        events_max: usize,
    ) -> Result<DomainFeedPage> {
        let skipped = match after {
            None => 0,
            Some(FeedPosition(text)) => text
                .strip_prefix("m")
                .and_then(|number| number.parse::<usize>().ok())
                .ok_or_else(|| Error::invalid("this is no position of this feed"))?,
        };
        let events: Vec<_> = self.with(service, |tenant| {
            tenant.events.iter().skip(skipped).take(events_max).cloned().collect()
        });
        let read = skipped + events.len();
        let position = (read > 0).then(|| FeedPosition(format!("m{read}")));
        Ok(DomainFeedPage { events, position, returned_again: Vec::new() })
    }

    async fn feed_end(&self, service: &ServiceId) -> Result<Option<FeedPosition>> {
        let read = self.with(service, |tenant| tenant.events.len());
        Ok((read > 0).then(|| FeedPosition(format!("m{read}"))))
    }

    fn signal(&self) -> &AppendSignal {
        &self.signal
    }
}

#[async_trait]
impl StateStorage for MemoryStorage {
    async fn save(
        &self,
        service: &ServiceId,
        state: &StoredProjectionState,
        mode: SaveMode,
    ) -> Result<u64> {
        let mut tenants = self.lock();
        let states = &mut tenants.entry(service.clone()).or_default().states;
        let key = (state.projector_name.clone(), state.projector_version.clone());
        let stored = states.get(&key).map(|state| state.revision).unwrap_or_default();
        mode.check(stored, state)?;
        let revision = stored + 1;
        states.insert(key, StoredProjectionState { revision, ..state.clone() });
        Ok(revision)
    }

    async fn state(
        &self,
        service: &ServiceId,
        name: &str,
        version: &str,
    ) -> Result<Option<StoredProjectionState>> {
        let key = (name.to_owned(), version.to_owned());
        Ok(self.with(service, |tenant| tenant.states.get(&key).cloned()))
    }

    async fn states(
        &self,
        service: &ServiceId,
        name: Option<&str>,
    ) -> Result<Vec<StoredProjectionState>> {
        let mut states: Vec<StoredProjectionState> = self.with(service, |tenant| {
            let states = tenant.states.values();
            states
                .filter(|one| name.is_none_or(|name| one.projector_name == name))
                .cloned()
                .collect()
        });
        newest_first(&mut states);
        Ok(states)
    }

    async fn delete(&self, service: &ServiceId, name: &str, version: &str) -> Result<bool> {
        let mut tenants = self.lock();
        let states = &mut tenants.entry(service.clone()).or_default().states;
        Ok(states.remove(&(name.to_owned(), version.to_owned())).is_some())
    }
}

impl SaveMode {
    /// Refuses a save that expects another revision than the stored one.
    pub(crate) fn check(self, stored: u64, state: &StoredProjectionState) -> Result<()> {
        match self {
            Self::IfRevision(expected) if expected != stored => {
                let name = &state.projector_name;
                let message =
                    format!("somebody else has saved the state of '{name}'; read it again");
                Err(Error::new(ErrorKind::Conflict, message))
            }
            Self::Replace | Self::IfRevision(_) => Ok(()),
        }
    }
}

/// Sorts states by the time of their last save, and by name where that is the same.
pub(crate) fn newest_first(states: &mut [StoredProjectionState]) {
    states.sort_by(|one, other| {
        let by_time = other.updated_at.cmp(&one.updated_at);
        by_time
            .then_with(|| one.projector_name.cmp(&other.projector_name))
            .then_with(|| other.projector_version.cmp(&one.projector_version))
    });
}

#[async_trait]
impl AdminStorage for MemoryStorage {
    async fn services(&self) -> Result<Vec<ServiceId>> {
        let tenants = self.lock();
        let used =
            tenants.iter().filter(|(_, one)| !one.events.is_empty() || !one.states.is_empty());
        Ok(used.map(|(service, _)| service.clone()).collect())
    }

    async fn drop_service(&self, service: &ServiceId) -> Result<u64> {
        let dropped = self.lock().remove(service).unwrap_or_default();
        let rows: usize = dropped.by_tag.values().map(Vec::len).sum();
        Ok((dropped.events.len() + rows + dropped.states.len()) as u64)
    }

    async fn repair(&self, _is_dry_run: bool) -> Result<RepairReport> {
        let tags: BTreeSet<(ServiceId, EventTag)> = {
            let tenants = self.lock();
            let tags = tenants.iter().flat_map(|(service, tenant)| {
                tenant.by_tag.keys().map(|tag| (service.clone(), tag.clone()))
            });
            tags.collect()
        };
        // One lock guards an append, so it leaves nothing behind.
        Ok(RepairReport { tags_checked: tags.len() as u64, ..RepairReport::default() })
    }
}
