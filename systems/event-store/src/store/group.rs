//! Consumer groups: named readers whose position is stored.
//!
//! Owns the checkpoint: the position of the feed, and the events behind it that were received, because an account
//! returns events of the safe window again. Does not own reading (`feed`) or storing (`state_store`).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::timestamp::UtcTimestamp;

use crate::domain::{DomainEvent, DomainEventId, FeedPosition, SortableUniqueId};
use crate::error::{Error, ErrorKind, Result};
use crate::storage::SaveMode;

use super::{EventFeedReader, EventStore, MultiProjectionStateStore, ProjectionState};

const VERSION: &str = "1";
const PREFIX: &str = "ConsumerGroup-";
/// More are not kept: events within the safe window may then come twice.
const SEEN_MAX: usize = 10_000;

/// A named reader whose position is stored. One process at a time commits: a commit of another one is a conflict.
#[derive(Debug)]
pub struct ConsumerGroup {
    name: String,
    states: MultiProjectionStateStore,
    reader: EventFeedReader,
    /// Received before the last commit, behind its position.
    committed: SeenEvents,
    /// Received since the last commit.
    received: SeenEvents,
    revision: u64,
    processed: u64,
}

/// What a group has received since its last commit. It can be committed by another process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupReceipt {
    #[serde(rename = "p")]
    position: Option<FeedPosition>,
    #[serde(rename = "s")]
    received: SeenEvents,
    #[serde(rename = "r")]
    revision: u64,
    #[serde(rename = "n")]
    processed: u64,
}

/// How far a group has committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupSummary {
    /// The name.
    pub name: String,
    /// Events that were committed.
    pub events_processed: u64,
    /// The last commit.
    #[schema(value_type = String)]
    pub committed_at: UtcTimestamp,
}

/// Events by id, with their positions.
type SeenEvents = BTreeMap<DomainEventId, SortableUniqueId>;

#[derive(Serialize, Deserialize)]
struct GroupCheckpoint {
    position: Option<FeedPosition>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    seen: SeenEvents,
}

impl ConsumerGroup {
    /// Opens a group at its stored position, or at the begin of the feed.
    ///
    /// # Errors
    /// `Invalid` for a name that is no word; those of the storage.
    pub async fn open(
        name: &str,
        events: &EventStore,
        states: &MultiProjectionStateStore,
    ) -> Result<Self> {
        check_name(name)?;
        let found = states.latest_for_version(&projector_name(name), VERSION).await?;
        let (checkpoint, revision, processed) = match found {
            None => (GroupCheckpoint { position: None, seen: BTreeMap::new() }, 0, 0),
            Some(state) => {
                let checkpoint = serde_json::from_slice(&state.payload).map_err(|error| {
                    Error::corrupt(format!("the checkpoint of '{name}' cannot be read: {error}"))
                })?;
                (checkpoint, state.revision, state.events_processed)
            }
        };
        let mut reader = events.feed(checkpoint.position);
        let committed: SeenEvents = checkpoint.seen;
        reader.returned = committed.clone().into_iter().collect();
        let (name, states) = (name.to_owned(), states.clone());
        let received = BTreeMap::new();
        Ok(Self { name, states, reader, committed, received, revision, processed })
    }

    /// The same group with pages of at most so many events.
    #[must_use]
    pub fn with_page_events(self, page_events: usize) -> Self {
        Self { reader: self.reader.with_page_events(page_events), ..self }
    }

    /// The next events; waits for them, at most so long.
    ///
    /// # Errors
    /// Those of [`EventFeedReader::next_page`].
    pub async fn receive(&mut self, at_most: Duration) -> Result<Vec<DomainEvent>> {
        let events = self.reader.wait_for_page(at_most).await?;
        self.processed += events.len() as u64;
        for event in &events {
            self.received.insert(event.id, event.sortable_unique_id.clone());
        }
        Ok(events)
    }

    /// Stores the position: everything that was received is done.
    ///
    /// # Errors
    /// `Conflict` if another process has committed since this one opened the group; those of the storage.
    pub async fn commit(&mut self) -> Result<()> {
        let receipt = self.receipt();
        self.commit_receipt(&receipt).await
    }

    /// What was received since the last commit.
    #[must_use]
    pub fn receipt(&self) -> GroupReceipt {
        let position = self.reader.position.clone();
        let mut received = self.received.clone();
        received.retain(|_, id| position.as_ref().is_none_or(|one| one.returns_again(id)));
        GroupReceipt { position, received, revision: self.revision, processed: self.processed }
    }

    /// Stores the position of a receipt: everything that was received with it is done.
    ///
    /// # Errors
    /// Those of [`ConsumerGroup::commit`].
    pub async fn commit_receipt(&mut self, receipt: &GroupReceipt) -> Result<()> {
        let position = receipt.position.clone();
        let mut seen = self.committed.clone();
        seen.extend(receipt.received.clone());
        seen.retain(|_, id| position.as_ref().is_none_or(|one| one.returns_again(id)));
        if seen.len() > SEEN_MAX {
            seen.clear();
        }
        let checkpoint = GroupCheckpoint { position, seen };
        let payload = serde_json::to_vec(&checkpoint)
            .map_err(|error| Error::internal(format!("a checkpoint is no JSON: {error}")))?;
        let now = UtcTimestamp::now(self.reader.store.environment());
        let state = ProjectionState {
            events_processed: receipt.processed,
            build_source: "consumer group".to_owned(),
            payload_type: "checkpoint".to_owned(),
            ..ProjectionState::new(&projector_name(&self.name), VERSION, payload, now)
        };
        match self.states.save(&state, SaveMode::IfRevision(receipt.revision)).await {
            Ok(revision) => {
                self.revision = revision;
                self.committed = checkpoint.seen;
                self.received.clear();
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let message = format!("another reader has committed for the group '{}'", self.name);
                Err(Error::new(ErrorKind::Conflict, message).caused_by(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Forgets the position of a group: its next reader begins at the begin of the feed. Whether there was one.
    ///
    /// # Errors
    /// `Invalid` for a name that is no word; those of the storage.
    pub async fn delete(name: &str, states: &MultiProjectionStateStore) -> Result<bool> {
        check_name(name)?;
        states.delete(&projector_name(name), VERSION).await
    }

    /// The groups of the tenant.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn list(states: &MultiProjectionStateStore) -> Result<Vec<GroupSummary>> {
        let found = states.list().await?;
        let groups = found.into_iter().filter_map(|state| {
            let name = state.projector_name.strip_prefix(PREFIX)?.to_owned();
            let (events_processed, committed_at) = (state.events_processed, state.updated_at);
            Some(GroupSummary { name, events_processed, committed_at })
        });
        Ok(groups.collect())
    }
}

fn check_name(name: &str) -> Result<()> {
    let is_word = !name.is_empty()
        && name.len() <= 80
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_word {
        return Ok(());
    }
    Err(Error::invalid("a group has 1 to 80 letters, digits, '-', '_' and '.'"))
}

fn projector_name(group: &str) -> String {
    format!("{PREFIX}{group}")
}
