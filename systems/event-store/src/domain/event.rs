//! Events: as a writer hands them in, and as they are read.
//!
//! Neither carries a tenant; the storage adds it.

use std::fmt;

use client::Environment;
use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use service::timestamp::UtcTimestamp;
use uuid::Uuid;

use super::{EventTag, SortableUniqueId};
use crate::error::{Error, ErrorKind, Result};

/// Longest text of a payload. An item of an account has at most 2 MB, and the payload is text inside of it.
const PAYLOAD_BYTES_MAX: usize = 1_500_000;
const EVENT_TYPE_CHARS_MAX: usize = 200;
const TAGS_MAX: usize = 50;
const NOTE_CHARS_MAX: usize = 200;

/// The id of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DomainEventId(Uuid);

/// An event to append.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDraft {
    /// Its id; a random one if absent.
    pub id: Option<DomainEventId>,
    /// Its type.
    pub event_type: String,
    /// The version of its type, for upcasters; 1 at first.
    pub event_version: u32,
    /// What happened.
    pub payload: Value,
    /// Its tags.
    pub tags: Vec<EventTag>,
    /// The event or command that led to it.
    pub causation_id: Option<String>,
    /// What it belongs to.
    pub correlation_id: Option<String>,
    /// Who did it.
    pub executed_user: Option<String>,
}

/// An event that was appended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainEvent {
    /// Its id.
    #[schema(value_type = String)]
    pub id: DomainEventId,
    /// Its position among all events of the tenant.
    #[schema(value_type = String)]
    pub sortable_unique_id: SortableUniqueId,
    /// Its type.
    pub event_type: String,
    /// The version of its type.
    #[serde(default = "first_version")]
    pub event_version: u32,
    /// What happened.
    pub payload: Value,
    /// Its tags.
    #[schema(value_type = Vec<String>)]
    pub tags: Vec<EventTag>,
    /// When it was written.
    #[schema(value_type = String)]
    pub timestamp: UtcTimestamp,
    /// The event or command that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causation_id: Option<String>,
    /// What it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed_user: Option<String>,
}

pub(crate) fn first_version() -> u32 {
    1
}

impl DomainEventId {
    /// A random id.
    #[must_use]
    pub fn random(environment: &Environment) -> Self {
        let bytes = Uuid::from_u64_pair(environment.random(), environment.random()).into_bytes();
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The id of the event number `index` that is appended under a key: the same for every attempt.
    #[must_use]
    pub fn of_key(key: &str, index: usize) -> Self {
        let text = format!("planisphere event store key {index} {key}");
        let digest = digest::digest(&digest::SHA256, text.as_bytes());
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// An id from the text of a UUID.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn parse(text: &str) -> Result<Self> {
        let shown: String = text.chars().take(60).collect();
        Uuid::try_parse(text)
            .map(Self)
            .map_err(|_| Error::invalid(format!("'{shown}' is no event id; it is a UUID")))
    }
}

impl EventDraft {
    /// An event of a type.
    #[must_use]
    pub fn new(event_type: &str, payload: Value, tags: Vec<EventTag>) -> Self {
        Self {
            id: None,
            event_type: event_type.to_owned(),
            event_version: 1,
            payload,
            tags,
            causation_id: None,
            correlation_id: None,
            executed_user: None,
        }
    }

    /// An event whose payload is a value of the program.
    ///
    /// # Errors
    /// `Invalid` when the value is no JSON.
    pub fn of<T: Serialize>(event_type: &str, payload: &T, tags: Vec<EventTag>) -> Result<Self> {
        let payload = serde_json::to_value(payload)
            .map_err(|error| Error::invalid(format!("the payload is no JSON: {error}")))?;
        Ok(Self::new(event_type, payload, tags))
    }

    /// Refuses what no storage takes.
    pub(crate) fn check(&self) -> Result<()> {
        let is_type = !self.event_type.is_empty()
            && self.event_type.len() <= EVENT_TYPE_CHARS_MAX
            && self.event_type.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_type {
            let message = "an event type has 1 to 200 visible characters of ASCII";
            return Err(Error::invalid(message));
        }
        if self.event_version == 0 {
            return Err(Error::invalid("the version of an event type is at least 1"));
        }
        if self.tags.len() > TAGS_MAX {
            return Err(Error::invalid(format!("an event has at most {TAGS_MAX} tags")));
        }
        let mut tags: Vec<_> = self.tags.iter().collect();
        tags.sort();
        if tags.windows(2).any(|two| two.first() == two.last()) {
            return Err(Error::invalid("an event has each of its tags once"));
        }
        let notes = [&self.causation_id, &self.correlation_id, &self.executed_user];
        let is_wrong =
            |note: &String| note.len() > NOTE_CHARS_MAX || note.chars().any(char::is_control);
        if notes.into_iter().flatten().any(is_wrong) {
            let message = format!(
                "causation id, correlation id and user have at most {NOTE_CHARS_MAX} characters, \
                 and no control characters"
            );
            return Err(Error::invalid(message));
        }
        let bytes = self.payload.to_string().len();
        if bytes > PAYLOAD_BYTES_MAX {
            let message = format!(
                "the payload of '{}' has {bytes} bytes; at most {PAYLOAD_BYTES_MAX} are stored",
                self.event_type
            );
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }
}

impl DomainEvent {
    /// The payload as a value of the program.
    ///
    /// # Errors
    /// `Corrupt` when it is none.
    pub fn payload_as<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(self.payload.clone()).map_err(|error| {
            let message = format!("the payload of event {} cannot be read: {error}", self.id);
            Error::corrupt(message)
        })
    }

    /// Whether it says the same as a draft.
    pub(crate) fn has_content_of(&self, draft: &EventDraft) -> bool {
        self.event_type == draft.event_type
            && self.event_version == draft.event_version
            && self.payload == draft.payload
            && self.tags == draft.tags
    }
}

impl fmt::Display for DomainEventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for DomainEventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl TryFrom<String> for DomainEventId {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        Self::parse(&text).map_err(|error| error.to_string())
    }
}

impl From<DomainEventId> for String {
    fn from(id: DomainEventId) -> Self {
        id.to_string()
    }
}
