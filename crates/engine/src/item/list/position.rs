//! Continuation of a list: which sections of a physical partition are left, and in which order each is read.
//!
//! Owns the token. Version 1 is the key of the last item: what is read in the order of keys. Version 2 is the epk range
//! of the request and a position in the order of creation.

use std::sync::Arc;

use bytes::Bytes;
use model::{ContinuationToken, EpkRange, FeedRange};
use storage::{Direction, KeyRange, StorageKey};

use super::list_items::is_full;
use crate::catalog::ContainerEntry;
use crate::creation_order::{CreationPosition, decode_range, encode_range};
use crate::error::{Error, ErrorKind, Result};
use crate::item::input::logical_partition;
use crate::key_layout::{LogicalPartition, epk_key_range};
use crate::operation::ListItems;
use crate::partition::PhysicalPartition;

const TOKEN_KIND: &str = "list";
const KEY_VERSION: u8 = 1;
const CREATION_VERSION: u8 = 2;

/// How far a list was read.
#[derive(Clone, Debug)]
pub(super) enum ListPosition {
    Start,
    /// In the order of keys, up to and including this one.
    Key(StorageKey),
    Created(CreationPosition),
}

/// A part of a physical partition that is read in one order.
#[derive(Clone, Debug)]
pub(super) struct ListSection {
    pub(super) range: EpkRange,
    pub(super) order: SectionOrder,
}

#[derive(Clone, Debug)]
pub(super) enum SectionOrder {
    /// After an ordinal.
    Created(Option<u64>),
    /// After a key.
    Keys(Option<StorageKey>),
}

impl ListPosition {
    /// The position of the request's token, or the start.
    pub(super) fn from_request(container: &ContainerEntry, operation: &ListItems) -> Result<Self> {
        let Some(token) = &operation.page.continuation else { return Ok(Self::Start) };
        let (version, payload) =
            ContinuationToken::decode(token, TOKEN_KIND, &container.identity.rid)
                .map_err(|invalid| Error::new(ErrorKind::ContinuationRefused, invalid.message()))?;
        match version {
            KEY_VERSION => {
                let key = StorageKey::from(payload);
                let is_own = feed_key_range(container, &operation.feed_range).contains(&key);
                if is_own { Ok(Self::Key(key)) } else { Err(foreign()) }
            }
            CREATION_VERSION => {
                let mut bytes = Bytes::from(payload);
                let issued_for = decode_range(&mut bytes).ok_or_else(damaged)?;
                let position = CreationPosition::decode(&mut bytes);
                let position = position.filter(|_| bytes.is_empty()).ok_or_else(damaged)?;
                let requested = operation.feed_range.epk_range(&container.identity.definition);
                // On a part of its range, as clients use it after a split.
                let is_own = issued_for.intersect(&requested).as_ref() == Some(&requested);
                if is_own { Ok(Self::Created(position)) } else { Err(foreign()) }
            }
            version => Err(refused(&format!("version {version} is not known"))),
        }
    }

    pub(super) fn to_token(&self, container: &ContainerEntry, operation: &ListItems) -> String {
        let rid = &container.identity.rid;
        let mut bytes = Vec::new();
        let version = match self {
            // Never made for the start: a page that has more has a last item.
            Self::Start => CREATION_VERSION,
            Self::Key(key) => {
                bytes.extend_from_slice(key);
                KEY_VERSION
            }
            Self::Created(position) => {
                let requested = operation.feed_range.epk_range(&container.identity.definition);
                encode_range(&requested, &mut bytes);
                position.encode(&mut bytes);
                CREATION_VERSION
            }
        };
        ContinuationToken::encode(TOKEN_KIND, version, rid, &bytes).to_string()
    }

    /// The position after an item of a section. Ranges above it that were begun remain in it.
    pub(super) fn after(&self, section: &EpkRange, ordinal: u64) -> Self {
        let above = match self {
            Self::Created(position) => position.above(section),
            Self::Start | Self::Key(_) => Arc::default(),
        };
        Self::Created(CreationPosition { range: Arc::new(section.clone()), ordinal, above })
    }

    /// What is left of a physical partition.
    pub(super) fn sections(
        &self,
        partition: &PhysicalPartition,
        requested: &EpkRange,
        logical: Option<&LogicalPartition>,
    ) -> Result<Vec<ListSection>> {
        let Some(range) = partition.range.intersect(requested) else { return Ok(Vec::new()) };
        let is_listed = partition.published.is_listed();
        let fresh = |range: EpkRange| {
            // The list of a physical partition has all its items. A part of them is read by key.
            let is_whole = range.min <= partition.range.min && partition.range.max <= range.max;
            let has_list = is_listed && (logical.is_some() || is_whole);
            let order =
                if has_list { SectionOrder::Created(None) } else { SectionOrder::Keys(None) };
            ListSection { range, order }
        };
        Ok(match self {
            Self::Start => vec![fresh(range)],
            Self::Key(last) => {
                let keys = epk_key_range(&range);
                match keys.contains(last) {
                    true => {
                        let order = SectionOrder::Keys(Some(last.clone()));
                        vec![ListSection { range, order }]
                    }
                    // All keys of a partition are before the key, or all are after it.
                    false if keys.after(last.clone(), Direction::Forward).is_empty() => Vec::new(),
                    false => vec![fresh(range)],
                }
            }
            Self::Created(position) => {
                let mut sections = Vec::new();
                for (range, after) in position.unread(&range) {
                    sections.push(match after {
                        Some(_) if !is_listed => return Err(foreign()),
                        Some(after) => {
                            ListSection { range, order: SectionOrder::Created(Some(after)) }
                        }
                        None => fresh(range),
                    });
                }
                sections
            }
        })
    }
}

/// Item keys of a feed range.
fn feed_key_range(container: &ContainerEntry, feed_range: &FeedRange) -> KeyRange {
    let definition = &container.identity.definition;
    match feed_range {
        FeedRange::PartitionKey(key) if is_full(container, key) => {
            KeyRange::prefix(logical_partition(&container.identity, key).as_bytes())
        }
        feed_range => epk_key_range(&feed_range.epk_range(definition)),
    }
}

fn foreign() -> Error {
    refused("it continues another feed range")
}

fn damaged() -> Error {
    refused("it is damaged")
}

fn refused(reason: &str) -> Error {
    Error::new(
        ErrorKind::ContinuationRefused,
        format!("Invalid Continuation Token: {reason}. Start over without it."),
    )
}
