//! A command: read states of tags, decide, append, with what was read as the condition.
//!
//! Owns the flow: each tag that is read is reserved at the version that was seen; the append fails with `Conflict` if
//! one of them has changed. Does not own reservations in a storage.

use std::collections::BTreeMap;

use crate::domain::{
    AppendReceipt, AppendRequest, EventDraft, EventQuery, EventRead, EventTag, SortableUniqueId,
};
use crate::error::Result;
use crate::projection::EventProjector;

use super::EventStore;

/// One attempt of a command.
#[derive(Debug)]
pub struct CommandContext {
    store: EventStore,
    seen: BTreeMap<EventTag, Option<SortableUniqueId>>,
    events: Vec<EventDraft>,
    executed_user: Option<String>,
}

impl CommandContext {
    pub(super) fn new(store: EventStore) -> Self {
        Self { store, seen: BTreeMap::new(), events: Vec::new(), executed_user: None }
    }

    /// Who executes it; stored with each event.
    #[must_use]
    pub fn executed_by(mut self, user: impl Into<String>) -> Self {
        self.executed_user = Some(user.into());
        self
    }

    /// The state of a tag now. From here on the command depends on it.
    ///
    /// # Errors
    /// Those of the storage and of the projector.
    pub async fn state<P: EventProjector>(
        &mut self,
        projector: &P,
        tag: &EventTag,
    ) -> Result<P::State> {
        let query = EventQuery::tag(tag.clone());
        let page = self.store.read(&EventRead { query, ..EventRead::default() }).await?;
        let mut state = P::State::default();
        for event in &page.events {
            projector.apply(&mut state, event)?;
        }
        let version = page.events.last().map(|event| event.sortable_unique_id.clone());
        // The first version that was seen: a second read that sees more must not hide that the first saw less.
        self.seen.entry(tag.clone()).or_insert(version);
        Ok(state)
    }

    /// Whether a tag has events. From here on the command depends on it.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn tag_exists(&mut self, tag: &EventTag) -> Result<bool> {
        let version = self.store.latest_tag(tag).await?.map(|row| row.sortable_unique_id);
        let exists = version.is_some();
        self.seen.entry(tag.clone()).or_insert(version);
        Ok(exists)
    }

    /// Adds an event to append.
    pub fn append(&mut self, event: EventDraft) {
        let executed_user = event.executed_user.clone().or_else(|| self.executed_user.clone());
        self.events.push(EventDraft { executed_user, ..event });
    }

    /// Appends what was added. A command without events appends nothing and returns `None`.
    ///
    /// # Errors
    /// `Conflict` if a tag that was read has changed; those of [`EventStore::append`].
    pub async fn commit(self) -> Result<Option<AppendReceipt>> {
        if self.events.is_empty() {
            return Ok(None);
        }
        let request = AppendRequest::new(self.events).expecting(self.seen);
        self.store.append(request).await.map(Some)
    }
}
