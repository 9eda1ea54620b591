//! Following the events of a tenant: a reader, and consumer groups whose position is stored.
//!
//! Owns leaving out what was already returned, and waiting. A reader never leaves out an event: what a storage may
//! return twice is filtered here as long as the reader lives. After a restart some events may come again.

use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::timestamp::UtcTimestamp;
use tokio::sync::watch;

use crate::domain::{DomainEvent, DomainEventId, FeedPosition};
use crate::error::{Error, ErrorKind, Result};
use crate::storage::SaveMode;

use super::{EventStore, MultiProjectionStateStore, ProjectionState};

const PAGE_EVENTS: usize = 500;

/// Reads the feed of a tenant.
#[derive(Debug)]
pub struct EventFeedReader {
    store: EventStore,
    position: Option<FeedPosition>,
    /// Returned since the position; the storage returns them again.
    returned: HashSet<DomainEventId>,
    signal: watch::Receiver<u64>,
}

/// A named reader whose position is stored. One process at a time commits: a commit of another one is a conflict.
#[derive(Debug)]
pub struct ConsumerGroup {
    name: String,
    states: MultiProjectionStateStore,
    reader: EventFeedReader,
    revision: u64,
    processed: u64,
}

#[derive(Serialize, Deserialize)]
struct GroupCheckpoint {
    position: Option<FeedPosition>,
}

impl EventFeedReader {
    pub(super) fn new(store: EventStore, position: Option<FeedPosition>) -> Self {
        let signal = store.signal().receiver();
        Self { store, position, returned: HashSet::new(), signal }
    }

    /// Where a later reader goes on.
    #[must_use]
    pub fn position(&self) -> Option<&FeedPosition> {
        self.position.as_ref()
    }

    /// The next events; none if there are none now.
    ///
    /// # Errors
    /// `Invalid` for a position of another feed; those of the storage.
    pub async fn next_page(&mut self) -> Result<Vec<DomainEvent>> {
        let service = self.store.service_id()?;
        let storage = self.store.storage();
        let page = storage.feed(&service, self.position.as_ref(), PAGE_EVENTS).await?;
        let ids: HashSet<_> = page.events.iter().map(|event| event.id).collect();
        let mut events = page.events;
        events.retain(|event| !self.returned.contains(&event.id));
        // Whatever the storage returns again was part of this page, so older ids need not be kept.
        self.returned = ids;
        self.position = page.position;
        Ok(events)
    }

    /// The next events; waits for them, at most so long.
    ///
    /// # Errors
    /// Those of [`EventFeedReader::next_page`].
    pub async fn wait_for_page(&mut self, at_most: Duration) -> Result<Vec<DomainEvent>> {
        self.signal.mark_unchanged();
        let events = self.next_page().await?;
        if !events.is_empty() {
            return Ok(events);
        }
        // An error means that the storage is gone; the next read says so.
        let _ = tokio::time::timeout(at_most, self.signal.changed()).await;
        self.next_page().await
    }
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
        let is_word = !name.is_empty()
            && name.len() <= 80
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if !is_word {
            return Err(Error::invalid("a group has 1 to 80 letters, digits, '-', '_' and '.'"));
        }
        let found = states.latest_for_version(&projector_name(name), VERSION).await?;
        let (checkpoint, revision, processed) = match found {
            None => (GroupCheckpoint { position: None }, 0, 0),
            Some(state) => {
                let checkpoint = serde_json::from_slice(&state.payload).map_err(|error| {
                    Error::corrupt(format!("the checkpoint of '{name}' cannot be read: {error}"))
                })?;
                (checkpoint, state.revision, state.events_processed)
            }
        };
        let reader = events.feed(checkpoint.position);
        Ok(Self { name: name.to_owned(), states: states.clone(), reader, revision, processed })
    }

    /// The next events; waits for them, at most so long.
    ///
    /// # Errors
    /// Those of [`EventFeedReader::next_page`].
    pub async fn receive(&mut self, at_most: Duration) -> Result<Vec<DomainEvent>> {
        let events = self.reader.wait_for_page(at_most).await?;
        self.processed += events.len() as u64;
        Ok(events)
    }

    /// Stores the position: everything that was received is done.
    ///
    /// # Errors
    /// `Conflict` if another process has committed since this one opened the group; those of the storage.
    pub async fn commit(&mut self) -> Result<()> {
        let checkpoint = GroupCheckpoint { position: self.reader.position.clone() };
        let payload = serde_json::to_vec(&checkpoint)
            .map_err(|error| Error::internal(format!("a checkpoint is no JSON: {error}")))?;
        let now = UtcTimestamp::now(self.reader.store.environment());
        let state = ProjectionState {
            events_processed: self.processed,
            build_source: "consumer group".to_owned(),
            payload_type: "checkpoint".to_owned(),
            ..ProjectionState::new(&projector_name(&self.name), VERSION, payload, now)
        };
        match self.states.save(&state, SaveMode::IfRevision(self.revision)).await {
            Ok(revision) => {
                self.revision = revision;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let message = format!("another process commits for the group '{}'", self.name);
                Err(Error::new(ErrorKind::Conflict, message).caused_by(error))
            }
            Err(error) => Err(error),
        }
    }
}

const VERSION: &str = "1";

fn projector_name(group: &str) -> String {
    format!("ConsumerGroup-{group}")
}
