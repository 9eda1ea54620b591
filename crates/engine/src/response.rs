//! The results of operations as plain data: a value with its charge and session token.
//!
//! Does not own HTTP: `gateway` turns them into status, headers and body.

use bytes::Bytes;
use model::{
    ChargeExplanation, ContainerProperties, DatabaseProperties, EpkRange, Etag, Json, Lsn,
    RequestCharge, ResourceId, SessionToken, Throughput, TimestampSeconds,
};

use crate::error::{Error, Result};
use crate::record::{ItemHeader, ItemRecord, LoggedItem, own_bytes};

/// The answer to an operation.
#[derive(Clone, Debug)]
pub struct Response<T> {
    /// The result.
    pub value: T,
    /// The request charge.
    pub charge: RequestCharge,
    /// The session token after this operation; absent for operations on the catalog.
    pub session_token: Option<SessionToken>,
    /// The parts of the charge, if the options ask for them.
    pub explanation: Option<Box<ChargeExplanation>>,
}

impl<T> Response<T> {
    /// Replaces the value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            value: change(self.value),
            charge: self.charge,
            session_token: self.session_token,
            explanation: self.explanation,
        }
    }

    /// Changes the value, or fails.
    pub(crate) fn try_map<U>(self, change: impl FnOnce(T) -> Result<U>) -> Result<Response<U>> {
        Ok(Response {
            value: change(self.value)?,
            charge: self.charge,
            session_token: self.session_token,
            explanation: self.explanation,
        })
    }
}

/// One stored item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemResource {
    // Shares the stored value or the read cache; the text is never copied on its way to the socket.
    body: Bytes,
    etag: Etag,
    lsn: Lsn,
    timestamp: TimestampSeconds,
}

impl ItemResource {
    /// The item of a stored record. The lsn is passed separately: a record that was just committed does not contain it.
    pub(crate) fn from_record(record: ItemRecord, lsn: Lsn) -> Self {
        let ItemHeader { etag, timestamp, .. } = record.header;
        Self { body: record.into_body(), etag, lsn, timestamp }
    }

    /// The item of a change; it shares the stored value.
    pub(crate) fn from_change(change: &LoggedItem, lsn: Lsn) -> Self {
        let ItemHeader { etag, timestamp, .. } = change.header();
        Self { body: change.body(), etag, lsn, timestamp }
    }

    /// Bytes of the text that request charges count.
    pub(crate) fn own_bytes(&self) -> usize {
        own_bytes(self.body.len())
    }

    /// The JSON text with system properties.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.body
    }

    /// The JSON text, without copying it.
    #[must_use]
    pub fn into_text(self) -> Bytes {
        self.body
    }

    /// The item as a JSON value.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::parse(&self.body).unwrap_or(Json::Null)
    }

    /// The same item with the text that a trigger has set for the response.
    pub(crate) fn with_text(self, text: String) -> Self {
        Self { body: text.into(), ..self }
    }

    /// Its etag.
    #[must_use]
    pub fn etag(&self) -> Etag {
        self.etag
    }

    /// Position of its last write in its physical partition.
    #[must_use]
    pub fn lsn(&self) -> Lsn {
        self.lsn
    }

    /// Second of its last write.
    #[must_use]
    pub fn timestamp(&self) -> TimestampSeconds {
        self.timestamp
    }
}

/// The result of a stored procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcedureResult {
    /// The JSON text that it has set as its response; none if it has set none.
    pub body: Option<String>,
    /// What it has logged, if the request asks for it.
    pub log: Option<String>,
    /// How many items it has written.
    pub written: usize,
}

/// The result of a write with triggers.
pub(crate) enum TriggeredResult {
    Written { item: ItemResource, is_new: bool },
    Deleted,
}

impl TriggeredResult {
    pub(crate) fn into_item(self) -> Result<ItemResource> {
        match self {
            Self::Written { item, .. } => Ok(item),
            Self::Deleted => Err(Error::corrupt("a write has deleted its item")),
        }
    }

    pub(crate) fn into_upserted(self) -> Result<UpsertResult> {
        let is_new = matches!(self, Self::Written { is_new: true, .. });
        let item = self.into_item()?;
        Ok(if is_new { UpsertResult::Created(item) } else { UpsertResult::Replaced(item) })
    }
}

/// The result of a read with an optional precondition.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadResult {
    /// The item.
    Found(ItemResource),
    /// The item still has the etag of the precondition.
    NotModified(Etag),
}

impl ReadResult {
    /// The item, if it was returned.
    #[must_use]
    pub fn item(self) -> Option<ItemResource> {
        match self {
            Self::Found(item) => Some(item),
            Self::NotModified(_) => None,
        }
    }
}

/// The result of an upsert.
#[derive(Clone, Debug, PartialEq)]
pub enum UpsertResult {
    /// The item did not exist.
    Created(ItemResource),
    /// The item existed.
    Replaced(ItemResource),
}

impl UpsertResult {
    /// The stored item.
    #[must_use]
    pub fn item(&self) -> &ItemResource {
        match self {
            Self::Created(item) | Self::Replaced(item) => item,
        }
    }
}

/// One page of a paged read.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedPage<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The continuation token of the next page; absent at the end.
    pub continuation: Option<String>,
}

/// The result of one operation of a committed batch.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchOperationResult {
    /// What it did.
    pub effect: BatchEffect,
    /// Its share of the charge.
    pub charge: RequestCharge,
    /// The parts of the charge, if its options ask for them.
    pub explanation: Option<Box<ChargeExplanation>>,
}

/// The effect of one operation of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchEffect {
    /// An item was created.
    Created(ItemResource),
    /// An item was replaced or patched.
    Replaced(ItemResource),
    /// An item was deleted.
    Deleted,
    /// An item was read.
    Read(ReadResult),
}

/// The result of a batch.
#[derive(Debug)]
pub enum BatchResult {
    /// Everything was written; results in the order of the operations.
    Committed(Vec<BatchOperationResult>),
    /// Nothing was written.
    RolledBack {
        /// Index of the operation that failed.
        failed: usize,
        /// The error of that operation.
        error: Error,
        /// The charges of the operations before it. They ran, although nothing of them remains.
        charges: Vec<RequestCharge>,
    },
}

/// A database with its system properties.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseResource {
    /// The properties that the user chose.
    pub properties: DatabaseProperties,
    /// Resource id.
    pub rid: ResourceId,
    /// Etag; changes on each write.
    pub etag: Etag,
    /// Second of the last change.
    pub timestamp: TimestampSeconds,
}

/// A container with its system properties.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerResource {
    /// The properties that the user chose.
    pub properties: ContainerProperties,
    /// Resource id.
    pub rid: ResourceId,
    /// Etag; changes on each write.
    pub etag: Etag,
    /// Second of the last change.
    pub timestamp: TimestampSeconds,
    /// Progress of the index rebuild for the newest policy, in percent.
    pub index_progress_percent: u8,
    /// Stored items and bytes.
    pub usage: Usage,
}

/// What a container or partition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Items, including expired ones that are not removed yet.
    pub items: u64,
    /// Bytes of their JSON text.
    pub item_bytes: u64,
}

/// Provisioned throughput with its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct ThroughputResource {
    /// The provisioned throughput.
    pub throughput: Throughput,
    /// Resource id of the database or container it belongs to.
    pub owner: ResourceId,
    /// Highest ever provisioned, in request units per second.
    pub highest_ever: u32,
    /// The minimum it can be replaced with: a manual value, or an autoscale maximum.
    pub least: u32,
    /// Bytes of items that the minimum depends on.
    pub item_bytes: u64,
    /// Whether physical partitions must still be split before all of it can be used.
    pub pending: bool,
    /// When it was replaced last; `None` if it is still that of the creation.
    pub replaced_at: Option<TimestampSeconds>,
}

/// The physical partitions of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionsResource {
    /// Grows with every split and merge.
    pub generation: u64,
    /// In the order of their ranges.
    pub partitions: Vec<PartitionResource>,
    /// How many the throughput needs at least; if there are fewer, they are split in the background.
    pub partitions_min: u32,
    /// The split or merge that runs at present.
    pub restructuring: Option<RestructuringResource>,
}

/// A split or merge that is copying items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestructuringResource {
    /// The numbers of the physical partitions that are replaced.
    pub partitions: Vec<u32>,
    /// How many they will be.
    pub into: usize,
    /// Items copied so far.
    pub items_copied: u64,
    /// Items when it began.
    pub items_total: u64,
}

/// Partition keys of a physical partition.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionKeysResource {
    /// The first ones, in the order of their ranges.
    pub keys: Vec<model::PartitionKey>,
    /// Whether there are more.
    pub has_more: bool,
}

/// A physical partition.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionResource {
    /// Its number inside the container; never reused.
    pub number: u32,
    /// The part of the container it owns.
    pub range: EpkRange,
    /// Numbers of the partitions it came from, oldest first.
    pub parents: Vec<u32>,
    /// Position of its newest write.
    pub lsn: Lsn,
    /// What it holds.
    pub usage: Usage,
    /// Its share of the container's throughput, between 0 and 1.
    pub throughput_fraction: f64,
}
