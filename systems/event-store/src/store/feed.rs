//! Following the events of a tenant.
//!
//! Owns leaving out what was already returned, and waiting. A reader never leaves out an event: what a storage may
//! return twice is filtered here as long as the reader lives. After a restart some events may come again.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::sync::watch;

use crate::domain::{DomainEvent, DomainEventId, FeedPosition, SortableUniqueId};
use crate::error::Result;
use crate::storage::DomainFeedPage;

use super::EventStore;

const PAGE_EVENTS: usize = 500;

/// Reads the feed of a tenant.
#[derive(Debug)]
pub struct EventFeedReader {
    pub(super) store: EventStore,
    pub(super) position: Option<FeedPosition>,
    /// Returned since the position, with their own positions; the storage returns them again.
    pub(super) returned: HashMap<DomainEventId, SortableUniqueId>,
    signal: watch::Receiver<u64>,
    page_events: usize,
}

impl EventFeedReader {
    pub(super) fn new(store: EventStore, position: Option<FeedPosition>) -> Self {
        let signal = store.signal().receiver();
        let returned = HashMap::new();
        Self { store, position, returned, signal, page_events: PAGE_EVENTS }
    }

    /// The same reader with pages of at most so many events.
    #[must_use]
    pub fn with_page_events(self, page_events: usize) -> Self {
        Self { page_events: page_events.max(1), ..self }
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
        let page = storage.feed(&service, self.position.as_ref(), self.page_events).await?;
        Ok(self.take(page))
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

    /// The new events of a page, and moves on behind them.
    fn take(&mut self, page: DomainFeedPage) -> Vec<DomainEvent> {
        let DomainFeedPage { mut events, position, returned_again } = page;
        let again: HashSet<_> = returned_again.into_iter().collect();
        let mut returned: HashMap<_, _> = events
            .iter()
            .filter(|event| again.contains(&event.id))
            .map(|event| (event.id, event.sortable_unique_id.clone()))
            .collect();
        events.retain(|event| !self.returned.contains_key(&event.id));
        self.position = position;
        if events.len() > self.page_events {
            // A storage returns more only for the safe window. What is held back comes again with the next page.
            for held_back in events.drain(self.page_events..) {
                returned.remove(&held_back.id);
            }
            if let Some(last) = events.last() {
                let last = &last.sortable_unique_id;
                self.position = self.position.take().map(|position| position.at_most(last));
                let before = self.returned.iter().filter(|(_, position)| *position > last);
                returned.extend(before.map(|(id, position)| (*id, position.clone())));
            }
        }
        self.returned = returned;
        events
    }
}
