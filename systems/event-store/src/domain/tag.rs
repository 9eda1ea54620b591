//! Tags of events: `group:content`.
//!
//! Owns the syntax, and the rows that connect a tag with its events. A tag is part of partition keys, so its characters
//! are few.

use std::fmt;

use serde::{Deserialize, Serialize};
use service::timestamp::UtcTimestamp;

use super::{DomainEventId, SortableUniqueId};
use crate::error::{Error, ErrorKind, Result};

const GROUP_CHARS_MAX: usize = 40;
const CONTENT_CHARS_MAX: usize = 80;

/// A tag, such as `Student:42`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventTag(String);

/// One event of a tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagRow {
    /// The tag.
    pub tag: EventTag,
    /// The event.
    pub event_id: DomainEventId,
    /// Its position; of the newest row it is the version of the tag.
    pub sortable_unique_id: SortableUniqueId,
    /// Its type.
    pub event_type: String,
    /// When it was made, by its sortable id.
    pub created_at: UtcTimestamp,
}

/// What a list says about one tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagSummary {
    /// The tag.
    #[schema(value_type = String)]
    pub tag: EventTag,
    /// Its group.
    pub tag_group: String,
    /// How many events it has.
    pub event_count: u64,
    /// The first of them.
    #[schema(value_type = String)]
    pub first_sortable_unique_id: SortableUniqueId,
    /// The last of them.
    #[schema(value_type = String)]
    pub last_sortable_unique_id: SortableUniqueId,
    /// When the first was made.
    #[schema(value_type = String)]
    pub first_event_at: UtcTimestamp,
    /// When the last was made.
    #[schema(value_type = String)]
    pub last_event_at: UtcTimestamp,
}

impl EventTag {
    /// A tag from its text.
    ///
    /// # Errors
    /// `InvalidTag`, naming the rule that it breaks.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |why: &str| {
            let shown: String = text.chars().take(130).collect();
            let message = format!("'{shown}' is no tag: {why}; write it as 'Group:content'");
            Err(Error::new(ErrorKind::InvalidTag, message))
        };
        let Some((group, content)) = text.split_once(':') else {
            return invalid("it has no ':'");
        };
        let is_word = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if !is_word(group) || !is_word(content) {
            return invalid("both parts have letters of ASCII, digits, '-', '_' and '.' only");
        }
        if group.len() > GROUP_CHARS_MAX {
            return invalid("its group has more than 40 characters");
        }
        if content.len() > CONTENT_CHARS_MAX {
            return invalid("its content has more than 80 characters");
        }
        Ok(Self(text.to_owned()))
    }

    /// A tag of two parts.
    ///
    /// # Errors
    /// Those of [`EventTag::parse`].
    pub fn new(group: &str, content: &str) -> Result<Self> {
        Self::parse(&format!("{group}:{content}"))
    }

    /// The part before the `:`.
    #[must_use]
    pub fn group(&self) -> &str {
        self.0.split_once(':').map_or("", |(group, _)| group)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TagSummary {
    /// The summary of a tag with this one event.
    pub(crate) fn of(tag: EventTag, id: &SortableUniqueId) -> Self {
        Self {
            tag_group: tag.group().to_owned(),
            tag,
            event_count: 1,
            first_sortable_unique_id: id.clone(),
            last_sortable_unique_id: id.clone(),
            first_event_at: id.time(),
            last_event_at: id.time(),
        }
    }

    /// Counts one more event.
    pub(crate) fn add(&mut self, id: &SortableUniqueId) {
        self.event_count += 1;
        if *id < self.first_sortable_unique_id {
            self.first_sortable_unique_id = id.clone();
            self.first_event_at = id.time();
        }
        if *id > self.last_sortable_unique_id {
            self.last_sortable_unique_id = id.clone();
            self.last_event_at = id.time();
        }
    }
}

impl fmt::Display for EventTag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for EventTag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for EventTag {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        Self::parse(&text).map_err(|error| error.to_string())
    }
}

impl From<EventTag> for String {
    fn from(tag: EventTag) -> Self {
        tag.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_a_group_and_a_content_of_few_characters() {
        let longest = format!("{}:{}", "g".repeat(40), "c".repeat(80));
        for right in ["Student:1", "a:b", "A-b_c.d:9.9", longest.as_str()] {
            assert_eq!(EventTag::parse(right).unwrap().as_str(), right);
        }
        let long_group = format!("{}:c", "g".repeat(41));
        let long_content = format!("g:{}", "c".repeat(81));
        let wrong =
            ["", "Student", ":1", "Student:", "a:b:c", "a b:c", "a:b/c", "a|b:c", "\u{e4}:b"];
        for wrong in wrong.into_iter().chain([long_group.as_str(), long_content.as_str()]) {
            let error = EventTag::parse(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidTag, "{wrong}");
        }
        assert_eq!(EventTag::parse("Student:1").unwrap().group(), "Student");
    }
}
