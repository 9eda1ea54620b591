//! One projection of one tenant: catching up, snapshots, and the two states.
//!
//! Owns the safe window. Ids are made of the time of their writer, so an event can become visible after one with a
//! greater id. Within the window events are only part of the latest state, which is made anew of the safe state and all
//! events after it at each round; an event older than the window becomes part of the safe state, in the order of ids.
//! Snapshots hold the safe state only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use service::timestamp::UtcTimestamp;

use crate::domain::{DomainEvent, EventQuery, EventRead, EventTag, SortableUniqueId};
use crate::error::{ErrorKind, Result};
use crate::storage::SaveMode;
use crate::store::{MultiProjectionStateStore, ProjectionState, StoreScope};

use super::projector::ErasedProjector;
use super::{ErasedState, ProjectionSettings, ProjectorSet, Upcasters};

/// One projection of one tenant.
pub struct ProjectionRunner {
    scope: StoreScope,
    projector: Arc<dyn ErasedProjector>,
    upcasters: Upcasters,
    settings: ProjectionSettings,
    safe: Box<dyn ErasedState>,
    safe_last: Option<SortableUniqueId>,
    safe_events: u64,
    latest: Box<dyn ErasedState>,
    latest_last: Option<SortableUniqueId>,
    latest_events: u64,
    revision: u64,
    saved_events: u64,
    phase: ProjectionPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
enum ProjectionPhase {
    Starting,
    CatchingUp,
    Live,
}

/// How far a projection is.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectionStatus {
    /// The name of the projector.
    pub name: String,
    /// Its version.
    pub version: String,
    /// `starting`, `catchingup` or `live`.
    #[schema(value_type = String)]
    phase: ProjectionPhase,
    /// The last event in the latest state.
    #[schema(value_type = Option<String>)]
    pub last_sortable_unique_id: Option<SortableUniqueId>,
    /// The last event in the safe state.
    #[schema(value_type = Option<String>)]
    pub safe_sortable_unique_id: Option<SortableUniqueId>,
    /// Events in the latest state.
    pub events_processed: u64,
    /// Events in the safe state.
    pub safe_events_processed: u64,
    /// Events of the tenant that are not in the latest state; absent if nobody counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag: Option<u64>,
}

/// Reads the state of single tags.
#[derive(Clone, Debug)]
pub struct TagStateReader {
    projectors: ProjectorSet,
    upcasters: Upcasters,
}

impl ProjectionRunner {
    /// A runner, at the snapshot of this version if there is one.
    pub(crate) async fn open(
        scope: StoreScope,
        projector: Arc<dyn ErasedProjector>,
        upcasters: Upcasters,
        settings: ProjectionSettings,
    ) -> Result<Self> {
        let (name, version) = (projector.name(), projector.version());
        let (safe, last, events, revision) =
            match scope.states.latest_for_version(name, version).await? {
                Some(state) => {
                    let safe = projector.decode(&state.payload)?;
                    let last = state.last_sortable_unique_id;
                    (safe, last, state.events_processed, state.revision)
                }
                None => (projector.empty(), None, 0, 0),
            };
        Ok(Self {
            latest: safe.copy(),
            latest_last: last.clone(),
            latest_events: events,
            scope,
            projector,
            upcasters,
            settings,
            safe,
            safe_last: last,
            safe_events: events,
            revision,
            saved_events: events,
            phase: ProjectionPhase::Starting,
        })
    }

    /// Reads one batch of events. Whether there may be more.
    ///
    /// # Errors
    /// Those of the storage, the upcasters and the projector. The states stay as they were.
    pub async fn catch_up_once(&mut self) -> Result<bool> {
        let read = EventRead {
            query: EventQuery::all(),
            after: self.safe_last.clone(),
            events_max: Some(self.settings.batch_events),
        };
        let page = self.scope.events.read(&read).await?;
        let horizon = self.horizon();
        let mut safe = self.safe.copy();
        let (mut safe_last, mut safe_events) = (self.safe_last.clone(), self.safe_events);
        let mut recent = Vec::new();
        for event in page.events {
            let event = self.upcasters.upcast(event)?;
            if event.sortable_unique_id <= horizon {
                safe.apply(&event)?;
                safe_last = Some(event.sortable_unique_id);
                safe_events += 1;
            } else {
                recent.push(event);
            }
        }
        // More events than a batch within the window: the rest is read behind them, for the latest state only.
        if page.has_more && !recent.is_empty() {
            let after = recent.last().map(|event: &DomainEvent| event.sortable_unique_id.clone());
            for event in self.scope.events.read_all(after, None).await? {
                recent.push(self.upcasters.upcast(event)?);
            }
        }
        let has_more = page.has_more && recent.is_empty();
        let mut latest = safe.copy();
        let (mut latest_last, latest_events) =
            (safe_last.clone(), safe_events + recent.len() as u64);
        for event in &recent {
            latest.apply(event)?;
            latest_last = Some(event.sortable_unique_id.clone());
        }
        self.safe = safe;
        (self.safe_last, self.safe_events) = (safe_last, safe_events);
        self.latest = latest;
        (self.latest_last, self.latest_events) = (latest_last, latest_events);
        self.phase = if has_more { ProjectionPhase::CatchingUp } else { ProjectionPhase::Live };
        if self.safe_events - self.saved_events >= self.settings.snapshot_events {
            self.save("runner").await?;
        }
        Ok(has_more)
    }

    /// Reads all events there are.
    ///
    /// # Errors
    /// Those of [`ProjectionRunner::catch_up_once`].
    pub async fn catch_up(&mut self) -> Result<()> {
        while self.catch_up_once().await? {}
        Ok(())
    }

    /// Saves the safe state.
    ///
    /// # Errors
    /// Those of the storage. If another process has saved a state, that one stays.
    pub async fn save(&mut self, build_source: &str) -> Result<()> {
        let now = UtcTimestamp::now(self.scope.events.environment());
        let (name, version) = (self.projector.name(), self.projector.version());
        let state = ProjectionState {
            last_sortable_unique_id: self.safe_last.clone(),
            safe_window_threshold: Some(self.horizon()),
            build_source: build_source.to_owned(),
            events_processed: self.safe_events,
            ..ProjectionState::new(name, version, self.safe.encode()?, now)
        };
        match self.scope.states.save(&state, SaveMode::IfRevision(self.revision)).await {
            Ok(revision) => self.revision = revision,
            Err(error) if error.kind() == ErrorKind::Conflict => {
                self.revision = stored_revision(&self.scope.states, name, version).await?;
            }
            Err(error) => return Err(error),
        }
        self.saved_events = self.safe_events;
        Ok(())
    }

    /// Forgets the state and begins with the first event. The stored snapshot stays until the new state is saved.
    pub fn restart(&mut self) {
        self.safe = self.projector.empty();
        self.latest = self.projector.empty();
        (self.safe_last, self.latest_last) = (None, None);
        (self.safe_events, self.latest_events, self.saved_events) = (0, 0, 0);
        self.phase = ProjectionPhase::Starting;
    }

    /// Whether the latest state has this event or a later one.
    #[must_use]
    pub fn has_reached(&self, position: &SortableUniqueId) -> bool {
        self.latest_last.as_ref().is_some_and(|last| last >= position)
    }

    /// Answers a query of the latest state; `None` if the projector has no such query.
    ///
    /// # Errors
    /// `Invalid` for wrong parameters.
    pub fn query(
        &self,
        query: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Result<Option<Value>> {
        self.latest.query(query, parameters)
    }

    /// How far it is.
    #[must_use]
    pub fn status(&self) -> ProjectionStatus {
        ProjectionStatus {
            name: self.projector.name().to_owned(),
            version: self.projector.version().to_owned(),
            phase: self.phase,
            last_sortable_unique_id: self.latest_last.clone(),
            safe_sortable_unique_id: self.safe_last.clone(),
            events_processed: self.latest_events,
            safe_events_processed: self.safe_events,
            lag: None,
        }
    }

    /// How far it is, with the number of events it does not have yet.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn measured_status(&self) -> Result<ProjectionStatus> {
        let lag = self.scope.events.event_count(self.latest_last.as_ref()).await?;
        Ok(ProjectionStatus { lag: Some(lag), ..self.status() })
    }

    /// Events up to here are safe: every writer has had time to make earlier ones visible.
    fn horizon(&self) -> SortableUniqueId {
        let now = UtcTimestamp::now(self.scope.events.environment());
        SortableUniqueId::range_of(now.before(self.settings.safe_window)).0
    }
}

async fn stored_revision(
    states: &MultiProjectionStateStore,
    name: &str,
    version: &str,
) -> Result<u64> {
    let stored = states.latest_for_version(name, version).await?;
    Ok(stored.map(|stored| stored.revision).unwrap_or_default())
}

impl TagStateReader {
    /// A reader with these projectors.
    #[must_use]
    pub fn new(projectors: ProjectorSet, upcasters: Upcasters) -> Self {
        Self { projectors, upcasters }
    }

    /// The state of a tag, and its version; `None` if there is no such projector.
    ///
    /// # Errors
    /// Those of the storage, the upcasters and the projector.
    pub async fn state(
        &self,
        scope: &StoreScope,
        projector: &str,
        tag: &EventTag,
    ) -> Result<Option<(Value, Option<SortableUniqueId>)>> {
        let Some(projector) = self.projectors.get(projector) else { return Ok(None) };
        let mut state = projector.empty();
        let mut version = None;
        for event in scope.events.read_by_tag(tag, None).await? {
            let event = self.upcasters.upcast(event)?;
            state.apply(&event)?;
            version = Some(event.sortable_unique_id);
        }
        let state = state.query("state", &BTreeMap::new())?.unwrap_or_default();
        Ok(Some((state, version)))
    }
}

impl std::fmt::Debug for ProjectionRunner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ProjectionRunner({:?})", self.status())
    }
}

impl Default for ProjectionSettings {
    fn default() -> Self {
        Self {
            safe_window: Duration::from_secs(20),
            batch_events: 500,
            snapshot_events: 1_000,
            poll: Duration::from_millis(500),
        }
    }
}
