//! The feed of a tenant on an account.
//!
//! Owns its position, which is the safe one: writers make positions of their clocks, so an event can become visible
//! after one with a greater position. The feed returns new events at once, and its position stays behind the safe
//! window; what lies between both is read again each time, and readers leave out what they have had.
//!
//! An event that becomes visible later than the window after its position was made would be left out. A writer that has
//! used up half of the window before its last write gives up, so that this one write has the other half.

use std::time::Duration;

use service::timestamp::UtcTimestamp;

use crate::domain::{EventQuery, EventRead, FeedPosition, SortableUniqueId};
use crate::error::{Error, Result};
use crate::storage::DomainFeedPage;

use super::containers::TenantContainers;
use super::storage::AccountStorage;

impl AccountStorage {
    pub(super) async fn read_feed(
        &self,
        tenant: &TenantContainers,
        after: Option<&FeedPosition>,
        events_max: usize,
    ) -> Result<DomainFeedPage> {
        let since = match after {
            None => None,
            Some(FeedPosition(text)) => {
                let id = SortableUniqueId::parse(text);
                Some(id.map_err(|_| Error::invalid("this is no position of this feed"))?)
            }
        };
        let horizon = self.horizon();
        let mut read = EventRead {
            query: EventQuery::all(),
            after: since.clone(),
            events_max: Some(events_max),
        };
        let mut page = self.read_query(tenant, &read).await?;
        let is_safe = |id: &SortableUniqueId| *id <= horizon;
        let ends_in_window =
            page.events.last().is_some_and(|last| !is_safe(&last.sortable_unique_id));
        if page.has_more && ends_in_window {
            // All of the window: the position does not move past it, so a cut page would never end.
            read.events_max = None;
            page = self.read_query(tenant, &read).await?;
        }
        let safe = page.events.iter().rev().map(|event| &event.sortable_unique_id);
        let position = safe.into_iter().find(|id| is_safe(id)).cloned().or(since);
        // What lies behind the position is read again.
        let behind = |id: &SortableUniqueId| match &position {
            Some(position) => id > position,
            None => true,
        };
        let again = page.events.iter().filter(|event| behind(&event.sortable_unique_id));
        let returned_again = again.map(|event| event.id).collect();
        let position = position.map(|id| FeedPosition(id.as_str().to_owned()));
        Ok(DomainFeedPage { events: page.events, position, returned_again })
    }

    /// The position behind which nothing can become visible any more.
    pub(super) fn safe_end(&self) -> FeedPosition {
        FeedPosition(self.horizon().as_str().to_owned())
    }

    fn horizon(&self) -> SortableUniqueId {
        let window = Duration::from_secs(self.options().safe_window_seconds);
        let now = UtcTimestamp::now(self.environment());
        SortableUniqueId::range_of(now.before(window)).0
    }
}
