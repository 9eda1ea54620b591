//! What leaves the engine: a value with its charge and position.
//!
//! Owns the contract upwards. Does not own HTTP: `gateway` turns an outcome into status, headers and body.

use bytes::Bytes;
use model::{
    ChargeExplanation, ContainerProperties, DatabaseProperties, EpkRange, Etag, Json, Lsn,
    RequestCharge, ResourceId, SessionToken, Throughput, TimestampSeconds,
};

use crate::error::Error;
use crate::record::{ItemHeader, ItemRecord, LoggedItem, own_bytes};

/// The answer to an operation.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// What was asked for.
    pub value: T,
    /// What it cost.
    pub charge: RequestCharge,
    /// What the caller has now seen; absent for operations on the catalog.
    pub session_token: Option<SessionToken>,
    /// Why it cost that much, when the options of the request ask for it.
    pub explanation: Option<Box<ChargeExplanation>>,
}

impl<T> Outcome<T> {
    /// The same answer with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome {
            value: change(self.value),
            charge: self.charge,
            session_token: self.session_token,
            explanation: self.explanation,
        }
    }
}

/// One stored item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    body: Bytes,
    etag: Etag,
    lsn: Lsn,
    timestamp: TimestampSeconds,
}

impl Item {
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

    /// The JSON text without a copy.
    #[must_use]
    pub fn into_text(self) -> Bytes {
        self.body
    }

    /// The item as a value.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::parse(&self.body).unwrap_or(Json::Null)
    }

    /// Its version.
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

/// What a read with a precondition found.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadAnswer {
    /// The item.
    Found(Item),
    /// The caller's version is still the newest.
    NotModified(Etag),
}

impl ReadAnswer {
    /// The item, if it was returned.
    #[must_use]
    pub fn item(self) -> Option<Item> {
        match self {
            Self::Found(item) => Some(item),
            Self::NotModified(_) => None,
        }
    }
}

/// What an upsert did.
#[derive(Clone, Debug, PartialEq)]
pub enum Upserted {
    /// There was none.
    Created(Item),
    /// There was one.
    Replaced(Item),
}

impl Upserted {
    /// The item as stored now.
    #[must_use]
    pub fn item(&self) -> &Item {
        match self {
            Self::Created(item) | Self::Replaced(item) => item,
        }
    }
}

/// One answer of a multi-answer read.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// What this page holds.
    pub items: Vec<T>,
    /// Where the next page starts; absent at the end.
    pub continuation: Option<String>,
}

/// What one operation of a committed batch did.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchAnswer {
    /// What happened.
    pub effect: BatchEffect,
    /// Its share of the charge.
    pub charge: RequestCharge,
    /// Why it cost that much, when its options ask for it.
    pub explanation: Option<Box<ChargeExplanation>>,
}

/// The effect of one operation of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchEffect {
    /// An item was created.
    Created(Item),
    /// An item was replaced or patched.
    Replaced(Item),
    /// An item was deleted.
    Deleted,
    /// An item was read.
    Read(ReadAnswer),
}

/// How a batch ended.
#[derive(Debug)]
pub enum BatchOutcome {
    /// Everything was written; answers in the order of the operations.
    Committed(Vec<BatchAnswer>),
    /// Nothing was written.
    RolledBack {
        /// Index of the operation that failed.
        failed: usize,
        /// Why.
        error: Error,
    },
}

/// A database as the account knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseResource {
    /// What the user chose.
    pub properties: DatabaseProperties,
    /// Resource id.
    pub rid: ResourceId,
    /// Version.
    pub etag: Etag,
    /// Second of the last change.
    pub timestamp: TimestampSeconds,
}

/// A container as the account knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerResource {
    /// What the user chose.
    pub properties: ContainerProperties,
    /// Resource id.
    pub rid: ResourceId,
    /// Version.
    pub etag: Etag,
    /// Second of the last change.
    pub timestamp: TimestampSeconds,
    /// How far the index follows the newest policy, in percent.
    pub index_progress_percent: u8,
    /// Items and bytes now stored.
    pub usage: Usage,
}

/// What a container or partition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Items, expired ones included until they are reclaimed.
    pub items: u64,
    /// Bytes of their JSON text.
    pub item_bytes: u64,
}

/// Throughput as the account knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ThroughputResource {
    /// What was asked for.
    pub throughput: Throughput,
    /// Resource id of the database or container it belongs to.
    pub owner: ResourceId,
    /// Highest ever provisioned, in request units per second.
    pub highest_ever: u32,
    /// The least it can be replaced with: a manual number, or an autoscale maximum.
    pub least: u32,
    /// Bytes of items that the least depends on.
    pub item_bytes: u64,
}

/// The physical partitions of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionsResource {
    /// Grows with every split and merge.
    pub generation: u64,
    /// In the order of their ranges.
    pub partitions: Vec<PartitionResource>,
}

/// A physical partition as callers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionResource {
    /// Its number inside the container; never reused.
    pub number: u32,
    /// Which part of the container it owns.
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
