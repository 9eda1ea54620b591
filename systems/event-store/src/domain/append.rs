//! What a writer asks for, what it gets, and the positions that it refers to.
//!
//! Owns the requests and their checks. Does not own how a storage keeps the condition.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use client::Environment;
use serde::{Deserialize, Serialize};

use super::{DomainEventId, EventDraft, EventQuery, EventTag, SortableUniqueId};
use crate::error::{Error, ErrorKind, Result};

/// An account writes the rows of one tag in one transaction of at most 100 operations, and one is for the head.
const EVENTS_MAX: usize = 99;
const KEY_CHARS_MAX: usize = 200;

/// Events to append together, all or none.
#[derive(Clone, Debug, Default)]
pub struct AppendRequest {
    /// The events, in order.
    pub events: Vec<EventDraft>,
    /// What must hold.
    pub condition: AppendCondition,
    /// Appends under one key happen once: a repeat with equal content gets the first receipt.
    pub idempotency_key: Option<String>,
}

/// What must hold for an append.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AppendCondition {
    /// Nothing.
    #[default]
    None,
    /// The tags have these versions; none means that the tag is empty.
    Tags(BTreeMap<EventTag, Option<SortableUniqueId>>),
    /// No event matches the query after what the writer has seen.
    Query {
        /// The query.
        fail_if_events_match: EventQuery,
        /// What the writer has seen; nothing if absent.
        after: Option<ReadPosition>,
    },
}

/// What a reader has seen: opaque, from [`crate::DomainEventPage::position`]. It holds more than the last id, because
/// events become visible in another order than that of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadPosition {
    /// The last event that was read.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<SortableUniqueId>,
    /// On an account: the versions of the tags that guard the query, at the time of reading.
    #[serde(rename = "g", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) guards: BTreeMap<EventTag, Option<SortableUniqueId>>,
    /// On PostgreSQL: the snapshot that was read.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub(crate) snapshot: Option<String>,
}

/// How far a feed was read: opaque, and of one storage.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FeedPosition(pub(crate) String);

/// What was appended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppendReceipt {
    /// The events, in order.
    pub events: Vec<AppendedEvent>,
    /// The new versions of their tags.
    pub tag_writes: Vec<TagWrite>,
    /// Whether an earlier append under the same key did it.
    #[serde(default)]
    pub is_repeat: bool,
}

/// One event that was appended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppendedEvent {
    /// Its id.
    #[schema(value_type = String)]
    pub id: DomainEventId,
    /// Its position.
    #[schema(value_type = String)]
    pub sortable_unique_id: SortableUniqueId,
}

/// The version of a tag after an append.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagWrite {
    /// The tag.
    #[schema(value_type = String)]
    pub tag: EventTag,
    /// Its version.
    #[schema(value_type = String)]
    pub sortable_unique_id: SortableUniqueId,
}

/// A request that was checked, with ids for all events.
#[derive(Clone, Debug)]
pub struct PreparedAppend {
    pub(crate) events: Vec<PreparedEvent>,
    pub(crate) condition: AppendCondition,
    /// Whether events with these ids and this content are the result of an earlier attempt.
    pub(crate) is_repeatable: bool,
}

/// An event with its id.
#[derive(Clone, Debug)]
pub(crate) struct PreparedEvent {
    pub(crate) id: DomainEventId,
    pub(crate) draft: EventDraft,
}

impl AppendRequest {
    /// These events, without a condition.
    #[must_use]
    pub fn new(events: Vec<EventDraft>) -> Self {
        Self { events, ..Self::default() }
    }

    /// Only if the tags have these versions.
    #[must_use]
    pub fn expecting(
        mut self,
        versions: impl IntoIterator<Item = (EventTag, Option<SortableUniqueId>)>,
    ) -> Self {
        self.condition = AppendCondition::Tags(versions.into_iter().collect());
        self
    }

    /// Only if no event matches after the position.
    #[must_use]
    pub fn unless_matching(mut self, query: EventQuery, after: Option<ReadPosition>) -> Self {
        self.condition = AppendCondition::Query { fail_if_events_match: query, after };
        self
    }

    /// Once, however often it is tried.
    #[must_use]
    pub fn once(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Checks everything that needs no storage, and gives every event its id.
    pub(crate) fn prepare(self, environment: &Environment) -> Result<PreparedAppend> {
        if self.events.is_empty() {
            return Err(Error::invalid("there is no event to append"));
        }
        if self.events.len() > EVENTS_MAX {
            let message = format!("an append has at most {EVENTS_MAX} events");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        if let AppendCondition::Query { fail_if_events_match, .. } = &self.condition {
            fail_if_events_match.check()?;
        }
        let key = self.idempotency_key;
        if key.as_ref().is_some_and(|key| key.is_empty() || key.len() > KEY_CHARS_MAX) {
            let message = format!("an idempotency key has 1 to {KEY_CHARS_MAX} characters");
            return Err(Error::invalid(message));
        }
        let mut ids = BTreeSet::new();
        let mut events = Vec::with_capacity(self.events.len());
        for (index, draft) in self.events.into_iter().enumerate() {
            draft.check()?;
            let id = match (draft.id, &key) {
                (Some(id), _) => id,
                (None, Some(key)) => DomainEventId::of_key(key, index),
                (None, None) => DomainEventId::random(environment),
            };
            if !ids.insert(id) {
                return Err(Error::invalid(format!("two events of the append have the id {id}")));
            }
            events.push(PreparedEvent { id, draft });
        }
        Ok(PreparedAppend { events, condition: self.condition, is_repeatable: key.is_some() })
    }
}

impl PreparedAppend {
    /// The tags of the events.
    pub(crate) fn event_tags(&self) -> BTreeSet<EventTag> {
        self.events.iter().flat_map(|event| event.draft.tags.iter().cloned()).collect()
    }

    /// The receipt for these positions, one for each event.
    pub(crate) fn receipt(&self, positions: &[SortableUniqueId], is_repeat: bool) -> AppendReceipt {
        let both = self.events.iter().zip(positions);
        let mut versions = BTreeMap::new();
        for (event, position) in both.clone() {
            for tag in &event.draft.tags {
                versions.insert(tag.clone(), position.clone());
            }
        }
        let events = both.map(|(event, position)| AppendedEvent {
            id: event.id,
            sortable_unique_id: position.clone(),
        });
        let tag_writes = versions
            .into_iter()
            .map(|(tag, sortable_unique_id)| TagWrite { tag, sortable_unique_id });
        AppendReceipt { events: events.collect(), tag_writes: tag_writes.collect(), is_repeat }
    }

    /// The error for an event whose id exists with other content, or that may not be repeated.
    pub(crate) fn exists(id: DomainEventId) -> Error {
        let message = format!("an event with the id {id} exists; nothing was appended");
        Error::new(ErrorKind::AlreadyExists, message)
    }
}

impl ReadPosition {
    /// The position after this event, for readers that know nothing else.
    #[must_use]
    pub fn after(last: SortableUniqueId) -> Self {
        Self { last: Some(last), ..Self::default() }
    }

    /// A position from its text, or from the text of a sortable id.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn parse(text: &str) -> Result<Self> {
        if let Ok(id) = SortableUniqueId::parse(text) {
            return Ok(Self::after(id));
        }
        let decoded = URL_SAFE_NO_PAD.decode(text).ok();
        decoded
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .ok_or_else(|| Error::invalid("this is no position; use the one that a read returned"))
    }

    /// The last event that was read.
    #[must_use]
    pub fn last(&self) -> Option<&SortableUniqueId> {
        self.last.as_ref()
    }
}

impl fmt::Display for ReadPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = serde_json::to_vec(self).map_err(|_| fmt::Error)?;
        formatter.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FeedPosition {
    /// A position from its text. A storage refuses one that is not its own.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Not behind this event. Only a position that is a sortable id, as on an account, can lie behind it: other
    /// storages return no more events than were asked for.
    pub(crate) fn at_most(self, last: &SortableUniqueId) -> Self {
        match SortableUniqueId::parse(&self.0) {
            Ok(position) if position > *last => Self(last.as_str().to_owned()),
            _ => self,
        }
    }

    /// Whether a reader from here gets this event, which it has had, once more.
    pub(crate) fn returns_again(&self, id: &SortableUniqueId) -> bool {
        SortableUniqueId::parse(&self.0).is_ok_and(|position| *id > position)
    }
}

impl fmt::Display for FeedPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for FeedPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
