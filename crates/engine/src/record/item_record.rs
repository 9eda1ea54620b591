//! Item records, change log entries and versions as bytes. All numbers are big endian.
//!
//! ```text
//! item record       version 01 | flags | lsn 8 | sequence 2 | ordinal 8 | previous lsn 8 | previous sequence 2 |
//!                   timestamp 8 | time to live 4 | etag | JSON text
//! change log entry  length of the item key 2 | item key | item record
//! version           kind 1 | second at which it ended 8 | length of the item key 2 | item key |
//!                   item record (kind 1), or position of the deleted version (kinds 2 and 3)
//! ```
//!
//! The text of a record contains the system properties, so that a point read returns it as it is stored and parses
//! nothing.

use bytes::{Buf, Bytes};
use model::{Etag, ItemTimeToLive, Json, Lsn, ParseError, TimestampSeconds};
use storage::StorageValue;

use super::logged_item::LoggedItem;
use super::system_properties::own_bytes;
use super::versioned_text::VersionedText;
use crate::error::{Error, Result};
use crate::key_layout::{ChangePosition, ItemKey};

/// What is known of an item without reading its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemHeader {
    pub(crate) position: ChangePosition,
    /// Position of the version before this one. Its lsn is zero if this one was created, and [`SAME_LSN`] if both
    /// belong to one transaction.
    pub(crate) previous: ChangePosition,
    pub(crate) timestamp: TimestampSeconds,
    pub(crate) time_to_live: Option<ItemTimeToLive>,
    pub(crate) indexed: bool,
    pub(crate) etag: Etag,
}

/// Represents "the lsn of this very record", which is not known before the commit. No store ever assigns it.
// Zero could not be used for it: zero means that there is no version before.
const SAME_LSN: Lsn = Lsn(u64::MAX);

/// How a later version refers to an earlier one. If both belong to one transaction, the lsn of the earlier one is still
/// zero, and [`SAME_LSN`] takes its place.
pub(crate) fn earlier_position(position: ChangePosition) -> ChangePosition {
    if position.lsn == Lsn::ZERO { ChangePosition { lsn: SAME_LSN, ..position } } else { position }
}

/// The position of an earlier version, from the reference that a version with this lsn has stored.
pub(crate) fn resolve_position(previous: ChangePosition, lsn: Lsn) -> ChangePosition {
    if previous.lsn == SAME_LSN { ChangePosition { lsn, ..previous } } else { previous }
}

const RECORD_VERSION: u8 = 1;
const FLAG_INDEXED: u8 = 1;
const LSN_AT: usize = 2;
// A fixed length: the text begins at the same offset in every record, so that a read returns a slice.
pub(super) const HEADER_BYTES: usize = 42 + Etag::BYTES;
/// Bytes of the length in front of an item key.
pub(super) const KEY_LENGTH_BYTES: usize = 2;

/// An item as stored.
#[derive(Clone, Debug)]
pub(crate) struct ItemRecord {
    bytes: StorageValue,
    pub(crate) header: ItemHeader,
}

impl ItemRecord {
    /// Offset of the lsn: a commit writes its stamp there.
    pub(crate) const LSN_AT: usize = LSN_AT;

    /// Prints an item into a new record. `text_bytes` is the expected length of the text: right, it saves the buffer
    /// from growing.
    pub(crate) fn new(header: ItemHeader, item: &Json, text_bytes: usize) -> Self {
        let mut bytes = Self::begin(&header, text_bytes);
        item.print_to(&mut bytes);
        Self { bytes: bytes.into(), header }
    }

    /// The same from a text that was printed before.
    pub(crate) fn with_text(header: ItemHeader, text: &VersionedText) -> Self {
        let mut bytes = Self::begin(&header, text.len());
        text.print_to(&mut bytes, &header);
        Self { bytes: bytes.into(), header }
    }

    fn begin(header: &ItemHeader, text_bytes: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + text_bytes);
        let flags = if header.indexed { FLAG_INDEXED } else { 0 };
        bytes.extend_from_slice(&[RECORD_VERSION, flags]);
        // Zero here. The commit overwrites these eight bytes with its stamp (`LSN_AT`).
        bytes.extend_from_slice(&header.position.lsn.0.to_be_bytes());
        bytes.extend_from_slice(&header.position.sequence.to_be_bytes());
        bytes.extend_from_slice(&header.position.ordinal.to_be_bytes());
        bytes.extend_from_slice(&header.previous.lsn.0.to_be_bytes());
        bytes.extend_from_slice(&header.previous.sequence.to_be_bytes());
        bytes.extend_from_slice(&header.timestamp.0.to_be_bytes());
        bytes.extend_from_slice(&encode_time_to_live(header.time_to_live).to_be_bytes());
        bytes.extend_from_slice(&header.etag.to_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: StorageValue) -> Result<Self> {
        let header = decode_header(&bytes)
            .ok_or_else(|| Error::corrupt("an item record is shorter than its header"))?;
        Ok(Self { bytes, header })
    }

    pub(crate) fn as_bytes(&self) -> &StorageValue {
        &self.bytes
    }

    /// The JSON text with system properties, sharing the record's bytes.
    pub(crate) fn body(&self) -> Bytes {
        // Cannot panic: `decode` has checked that the header is complete, and `new` has written it.
        self.bytes.slice(HEADER_BYTES..)
    }

    /// The JSON text with system properties.
    pub(crate) fn into_body(mut self) -> Bytes {
        self.bytes.advance(HEADER_BYTES);
        self.bytes
    }

    /// The JSON text with system properties, borrowed.
    pub(crate) fn text(&self) -> &[u8] {
        self.bytes.get(HEADER_BYTES..).unwrap_or_default()
    }

    pub(crate) fn body_len(&self) -> usize {
        self.bytes.len() - HEADER_BYTES
    }

    /// Bytes of the text that request charges count.
    pub(crate) fn own_bytes(&self) -> usize {
        own_bytes(self.body_len())
    }

    pub(crate) fn parse(&self) -> Result<Json> {
        Json::parse(self.text()).map_err(|error| not_json(&error))
    }

    /// The item with the wanted properties only.
    pub(crate) fn parse_properties(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Result<Json> {
        Json::parse_properties(self.text(), is_wanted).map_err(|error| not_json(&error))
    }
}

fn not_json(error: &ParseError) -> Error {
    Error::corrupt(format!("a stored item is not JSON: {error}"))
}

fn encode_time_to_live(time_to_live: Option<ItemTimeToLive>) -> i32 {
    match time_to_live {
        None => 0,
        Some(ItemTimeToLive::Never) => -1,
        // The service limits the time to live to the range of i32; it is validated before.
        Some(ItemTimeToLive::Seconds(seconds)) => i32::try_from(seconds).unwrap_or(i32::MAX),
    }
}

fn decode_time_to_live(encoded: i32) -> Option<ItemTimeToLive> {
    match u32::try_from(encoded) {
        Ok(0) => None,
        Ok(seconds) => Some(ItemTimeToLive::Seconds(seconds)),
        // Any negative number; only -1 is ever written.
        Err(_) => Some(ItemTimeToLive::Never),
    }
}

/// Whether bytes are long enough for a record of the only format so far.
pub(super) fn is_record(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER_BYTES && bytes.first() == Some(&RECORD_VERSION)
}

pub(super) fn decode_header(bytes: &[u8]) -> Option<ItemHeader> {
    let bytes: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
    let [version, flags, ..] = *bytes;
    // A newer version of the software may have written it. Reading it as this one would return wrong items.
    if version != RECORD_VERSION {
        return None;
    }
    let number = |at: usize| -> Option<u64> {
        Some(u64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
    };
    let short = |at: usize| -> Option<u16> {
        Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
    };
    // Both positions belong to one item, so the ordinal is stored once.
    let ordinal = number(12)?;
    let time_to_live = i32::from_be_bytes(bytes.get(38..42)?.try_into().ok()?);
    Some(ItemHeader {
        position: ChangePosition { lsn: Lsn(number(LSN_AT)?), sequence: short(10)?, ordinal },
        previous: ChangePosition { lsn: Lsn(number(20)?), sequence: short(28)?, ordinal },
        timestamp: TimestampSeconds(number(30)?),
        time_to_live: decode_time_to_live(time_to_live),
        indexed: flags & FLAG_INDEXED != 0,
        etag: Etag::from_bytes(bytes.get(42..HEADER_BYTES)?.try_into().ok()?),
    })
}

/// A change log entry: the key of the item, then its record, so that reading the feed is one sequential scan.
pub(crate) struct LogEntry;

impl LogEntry {
    /// Offset of the record's lsn in the entry of this item key.
    pub(crate) fn lsn_at(key: &ItemKey) -> usize {
        KEY_LENGTH_BYTES + key.as_bytes().len() + LSN_AT
    }

    pub(crate) fn encode(key: &ItemKey, record: &ItemRecord) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(KEY_LENGTH_BYTES + key.as_bytes().len() + record.bytes.len());
        push_item_key(&mut bytes, key);
        bytes.extend_from_slice(&record.bytes);
        bytes
    }

    pub(crate) fn decode(bytes: StorageValue, levels: usize) -> Result<(ItemKey, ItemRecord)> {
        let (key, rest) = take_item_key(bytes, levels)?;
        Ok((key, ItemRecord::decode(rest)?))
    }
}

/// Why an item was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    Deleted,
    Expired,
}

/// What the space `versions` holds under the position of a change.
#[derive(Clone, Debug)]
pub(crate) enum Version {
    /// A state that was replaced or deleted later.
    Superseded { key: ItemKey, record: ItemRecord },
    /// A deletion; `previous` is the position of the version that was deleted.
    Removed { key: ItemKey, removal: Removal, previous: ChangePosition },
}

const VERSION_SUPERSEDED: u8 = 1;
const VERSION_DELETED: u8 = 2;
const VERSION_EXPIRED: u8 = 3;
/// The kind, and the second at which the version ended.
const VERSION_HEAD_BYTES: usize = 9;

impl Version {
    /// Encodes the version with the second from which on it was no longer the current one.
    pub(crate) fn encode(&self, ended: TimestampSeconds) -> Vec<u8> {
        let mut bytes = Vec::new();
        let kind = match self {
            Self::Superseded { .. } => VERSION_SUPERSEDED,
            Self::Removed { removal: Removal::Deleted, .. } => VERSION_DELETED,
            Self::Removed { removal: Removal::Expired, .. } => VERSION_EXPIRED,
        };
        bytes.push(kind);
        bytes.extend_from_slice(&ended.0.to_be_bytes());
        match self {
            Self::Superseded { key, record } => {
                push_item_key(&mut bytes, key);
                bytes.extend_from_slice(&record.bytes);
            }
            Self::Removed { key, previous, .. } => {
                push_item_key(&mut bytes, key);
                bytes.extend_from_slice(&previous.key());
            }
        }
        bytes
    }

    /// Offset of the record's lsn. Needed when the superseded version belongs to the same transaction: then its lsn is
    /// not known yet, and the commit writes it.
    pub(crate) fn lsn_at(key: &ItemKey) -> usize {
        VERSION_HEAD_BYTES + LogEntry::lsn_at(key)
    }

    /// The superseded item in a stored version; none when it is a deletion.
    pub(crate) fn superseded(bytes: &StorageValue, levels: usize) -> Result<Option<LoggedItem>> {
        if bytes.first() != Some(&VERSION_SUPERSEDED) || bytes.len() < VERSION_HEAD_BYTES {
            return Ok(None);
        }
        LoggedItem::decode(bytes.slice(VERSION_HEAD_BYTES..), levels).map(Some)
    }

    /// Reads a version and the second it ended.
    pub(crate) fn decode(
        mut bytes: StorageValue,
        levels: usize,
    ) -> Result<(Self, TimestampSeconds)> {
        let damaged = || Error::corrupt("a superseded version is shorter than its header");
        let head: [u8; VERSION_HEAD_BYTES] = *bytes.first_chunk().ok_or_else(damaged)?;
        let [kind, ended @ ..] = head;
        bytes.advance(head.len());
        let (key, rest) = take_item_key(bytes, levels)?;
        let removal = match kind {
            VERSION_SUPERSEDED => None,
            VERSION_DELETED => Some(Removal::Deleted),
            VERSION_EXPIRED => Some(Removal::Expired),
            _ => return Err(Error::corrupt(format!("a version of unknown kind {kind}"))),
        };
        let version = match removal {
            None => Self::Superseded { key, record: ItemRecord::decode(rest)? },
            Some(removal) => {
                let previous = ChangePosition::decode(&rest).ok_or_else(damaged)?;
                Self::Removed { key, removal, previous }
            }
        };
        Ok((version, TimestampSeconds(u64::from_be_bytes(ended))))
    }

    pub(crate) fn key(&self) -> &ItemKey {
        match self {
            Self::Superseded { key, .. } | Self::Removed { key, .. } => key,
        }
    }
}

fn push_item_key(bytes: &mut Vec<u8>, key: &ItemKey) {
    // The store refuses keys of more than 65,535 bytes, so the length fits.
    let length = u16::try_from(key.as_bytes().len()).unwrap_or(u16::MAX);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(key.as_bytes());
}

/// Splits without copying: the key and the rest share the allocation of the stored value.
fn take_item_key(mut bytes: StorageValue, levels: usize) -> Result<(ItemKey, StorageValue)> {
    let length = item_key_length(&bytes).ok_or_else(damaged_key)?;
    bytes.advance(KEY_LENGTH_BYTES);
    if bytes.len() < length {
        return Err(damaged_key());
    }
    let key = ItemKey::decode(bytes.split_to(length), levels).ok_or_else(damaged_key)?;
    Ok((key, bytes))
}

/// Reads the length in front of an item key.
pub(super) fn item_key_length(bytes: &[u8]) -> Option<usize> {
    let length: &[u8; KEY_LENGTH_BYTES] = bytes.first_chunk()?;
    Some(usize::from(u16::from_be_bytes(*length)))
}

fn damaged_key() -> Error {
    Error::corrupt("a stored item key is damaged")
}
