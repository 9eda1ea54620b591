//! Queries over events, as dcb.events has them: items are OR-ed; in an item types are OR-ed and tags AND-ed.
//!
//! Owns the meaning. Does not own how a storage finds the events.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{DomainEvent, EventTag, SortableUniqueId};
use crate::error::{Error, Result};

const ITEMS_MAX: usize = 50;

/// Which events. A query without items matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EventQuery {
    /// An event matches the query if it matches one of them.
    #[serde(default)]
    pub items: Vec<EventQueryItem>,
}

/// One alternative of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EventQueryItem {
    /// The event has one of these types; any if empty.
    #[serde(default)]
    pub types: Vec<String>,
    /// The event has all these tags.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub tags: Vec<EventTag>,
}

/// Which events to read, and how many.
#[derive(Clone, Debug, Default)]
pub struct EventRead {
    /// Which events.
    pub query: EventQuery,
    /// Only those after this position.
    pub after: Option<SortableUniqueId>,
    /// At most so many; all if absent.
    pub events_max: Option<usize>,
}

impl EventQuery {
    /// All events.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// The events with this tag.
    #[must_use]
    pub fn tag(tag: EventTag) -> Self {
        Self { items: vec![EventQueryItem { types: Vec::new(), tags: vec![tag] }] }
    }

    /// The events of these types with all these tags.
    #[must_use]
    pub fn item(types: &[&str], tags: Vec<EventTag>) -> Self {
        let types = types.iter().map(|name| (*name).to_owned()).collect();
        Self { items: vec![EventQueryItem { types, tags }] }
    }

    /// This query, or that item.
    #[must_use]
    pub fn or(mut self, types: &[&str], tags: Vec<EventTag>) -> Self {
        self.items.extend(Self::item(types, tags).items);
        self
    }

    /// Whether an event matches.
    #[must_use]
    pub fn matches(&self, event: &DomainEvent) -> bool {
        self.items.is_empty() || self.items.iter().any(|item| item.matches(event))
    }

    /// Refuses what no storage takes.
    pub(crate) fn check(&self) -> Result<()> {
        if self.items.len() > ITEMS_MAX {
            return Err(Error::invalid(format!("a query has at most {ITEMS_MAX} items")));
        }
        if self.items.iter().any(|item| item.types.is_empty() && item.tags.is_empty()) {
            let message = "an item of a query has a type or a tag; a query without items is all";
            return Err(Error::invalid(message));
        }
        Ok(())
    }

    /// One tag of each item: every event that matches the item has it. None if an item has no tag.
    pub(crate) fn guard_tags(&self) -> Option<BTreeSet<EventTag>> {
        if self.items.is_empty() {
            return None;
        }
        self.items.iter().map(|item| item.tags.iter().min().cloned()).collect()
    }
}

impl EventQueryItem {
    fn matches(&self, event: &DomainEvent) -> bool {
        let has_type = self.types.is_empty() || self.types.contains(&event.event_type);
        has_type && self.tags.iter().all(|tag| event.tags.contains(tag))
    }
}
