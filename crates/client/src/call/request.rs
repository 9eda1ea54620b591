//! What a typed call asks of a place: plain data, each variant with exactly its own fields.
//!
//! Owns the list of requests, their names in traces, and which of them may be repeated. Does not own their execution.

use std::sync::Arc;

use engine::ContainerLink;
use engine::operation::ThroughputOwner;
use model::{
    ContainerProperties, DatabaseId, FeedRange, ItemId, Json, PartitionKey, Patch, Throughput,
};

use crate::answer::{Etag, SessionToken};
use crate::change_feed::{ChangeMode, ChangeStart};
use crate::query::{PageOptions, QueryText};

/// One item, by name.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(crate) container: Arc<ContainerLink>,
    pub(crate) partition_key: PartitionKey,
    pub(crate) id: ItemId,
}

/// Which part of a container a query reads.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// One logical partition.
    PartitionKey(PartitionKey),
    /// The logical partitions whose hierarchical partition keys begin so.
    Prefix(PartitionKey),
    /// One part of those that [`Request::FeedRanges`] gives.
    FeedRange(FeedRange),
    /// All of it.
    Container,
}

/// One operation of a transactional batch.
#[derive(Clone, Debug)]
pub(crate) enum BatchStep {
    Create { item: Json },
    Upsert { item: Json, etag: Option<Etag> },
    Replace { id: ItemId, item: Json, etag: Option<Etag> },
    Patch { id: ItemId, patch: Patch, etag: Option<Etag> },
    Delete { id: ItemId, etag: Option<Etag> },
    Read { id: ItemId },
}

/// Everything a place is asked.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    CreateDatabase {
        id: DatabaseId,
        throughput: Option<Throughput>,
    },
    ReadDatabase {
        id: DatabaseId,
    },
    ListDatabases,
    ListContainers {
        database: DatabaseId,
    },
    ReadThroughput {
        owner: ThroughputOwner,
    },
    ReplaceThroughput {
        owner: ThroughputOwner,
        throughput: Throughput,
    },
    CreateContainer {
        container: Arc<ContainerLink>,
        properties: Box<ContainerProperties>,
        throughput: Option<Throughput>,
    },
    ReadContainer {
        container: Arc<ContainerLink>,
    },
    ReplaceContainer {
        container: Arc<ContainerLink>,
        properties: Box<ContainerProperties>,
    },
    Create {
        at: At,
        item: Json,
    },
    Read {
        at: At,
        session_token: Option<SessionToken>,
        unless: Option<Etag>,
    },
    Replace {
        at: At,
        item: Json,
        etag: Option<Etag>,
    },
    Upsert {
        at: At,
        item: Json,
        etag: Option<Etag>,
    },
    Patch {
        at: At,
        patch: Patch,
        etag: Option<Etag>,
    },
    Delete {
        at: At,
        etag: Option<Etag>,
    },
    ReadMany {
        container: Arc<ContainerLink>,
        items: Vec<(PartitionKey, ItemId)>,
        session_token: Option<SessionToken>,
    },
    DeletePartition {
        container: Arc<ContainerLink>,
        partition_key: PartitionKey,
    },
    Batch {
        container: Arc<ContainerLink>,
        partition_key: PartitionKey,
        steps: Vec<BatchStep>,
    },
    Query {
        container: Arc<ContainerLink>,
        text: QueryText,
        part: Part,
        page: PageOptions,
    },
    ReadChanges {
        container: Arc<ContainerLink>,
        part: FeedRange,
        mode: ChangeMode,
        start: ChangeStart,
        items_max: Option<usize>,
    },
    FeedRanges {
        container: Arc<ContainerLink>,
    },
}

impl Request {
    /// Its name in traces and in fault plans.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::CreateDatabase { .. } => "create database",
            Self::ReadDatabase { .. } => "read database",
            Self::ListDatabases => "list databases",
            Self::ListContainers { .. } => "list containers",
            Self::ReadThroughput { .. } => "read throughput",
            Self::ReplaceThroughput { .. } => "replace throughput",
            Self::CreateContainer { .. } => "create container",
            Self::ReadContainer { .. } => "read container",
            Self::ReplaceContainer { .. } => "replace container",
            Self::Create { .. } => "create",
            Self::Read { .. } => "read",
            Self::Replace { .. } => "replace",
            Self::Upsert { .. } => "upsert",
            Self::Patch { .. } => "patch",
            Self::Delete { .. } => "delete",
            Self::ReadMany { .. } => "read many",
            Self::DeletePartition { .. } => "delete partition",
            Self::Batch { .. } => "batch",
            Self::Query { .. } => "query",
            Self::ReadChanges { .. } => "read changes",
            Self::FeedRanges { .. } => "feed ranges",
        }
    }

    /// The same query from where a page of it ended.
    pub(crate) fn continue_from(&mut self, token: String) {
        if let Self::Query { page, .. } = self {
            page.continuation = Some(token);
        }
    }

    /// The names of the database and the container it is about, for traces.
    pub(crate) fn names(&self) -> (&str, Option<&str>) {
        let container = match self {
            Self::ListDatabases => return ("", None),
            Self::CreateDatabase { id: database, .. }
            | Self::ReadDatabase { id: database }
            | Self::ListContainers { database }
            | Self::ReadThroughput { owner: ThroughputOwner::Database(database) }
            | Self::ReplaceThroughput { owner: ThroughputOwner::Database(database), .. } => {
                return (database.as_str(), None);
            }
            Self::ReadThroughput { owner: ThroughputOwner::Container(container) }
            | Self::ReplaceThroughput { owner: ThroughputOwner::Container(container), .. } => {
                container
            }
            Self::Create { at, .. }
            | Self::Read { at, .. }
            | Self::Replace { at, .. }
            | Self::Upsert { at, .. }
            | Self::Patch { at, .. }
            | Self::Delete { at, .. } => &at.container,
            Self::CreateContainer { container, .. }
            | Self::ReadContainer { container }
            | Self::ReplaceContainer { container, .. }
            | Self::ReadMany { container, .. }
            | Self::DeletePartition { container, .. }
            | Self::Batch { container, .. }
            | Self::Query { container, .. }
            | Self::ReadChanges { container, .. }
            | Self::FeedRanges { container } => container,
        };
        (container.database.as_str(), Some(container.container.as_str()))
    }

    /// Whether the request may be sent again when it is not known whether it was done. A patch may increment, and a
    /// batch has no one item to look at afterwards, so the caller must decide about them.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Patch { .. } | Self::Batch { .. })
    }

    /// Whether the request writes nothing.
    pub(crate) fn is_read(&self) -> bool {
        matches!(
            self,
            Self::ReadDatabase { .. }
                | Self::ListDatabases
                | Self::ListContainers { .. }
                | Self::ReadThroughput { .. }
                | Self::ReadContainer { .. }
                | Self::Read { .. }
                | Self::ReadMany { .. }
                | Self::Query { .. }
                | Self::ReadChanges { .. }
                | Self::FeedRanges { .. }
        )
    }
}
