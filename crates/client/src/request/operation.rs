//! The requests that a backend executes: plain data, each variant with exactly its own fields.
//!
//! Owns the list of requests, their names in traces, and which of them may be repeated. Does not own their execution.

use std::sync::Arc;

use engine::ContainerLink;
use engine::change_feed::ChangeFeedMode;
use engine::operation::ThroughputOwner;
use model::{
    ContainerProperties, DatabaseId, FeedRange, ItemId, Json, PartitionKey, Patch, Throughput,
};

use crate::change_feed::ChangeStart;
use crate::item::BatchItemOperation;
use crate::query::{QueryPageOptions, QueryScope, QueryText};
use crate::response::{ClientSessionToken, EntityTag};

/// The address of one item.
#[derive(Clone, Debug)]
pub(crate) struct ItemAddress {
    // Shared with the handle, so that a request copies no names.
    pub(crate) container: Arc<ContainerLink>,
    pub(crate) partition_key: PartitionKey,
    pub(crate) id: ItemId,
}

/// A request to a backend.
#[derive(Clone, Debug)]
pub(crate) enum BackendRequest {
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
        address: ItemAddress,
        item: Json,
    },
    Read {
        address: ItemAddress,
        session_token: Option<ClientSessionToken>,
        if_none_match: Option<EntityTag>,
    },
    Replace {
        address: ItemAddress,
        item: Json,
        etag: Option<EntityTag>,
    },
    Upsert {
        address: ItemAddress,
        item: Json,
        etag: Option<EntityTag>,
    },
    Patch {
        address: ItemAddress,
        patch: Patch,
        etag: Option<EntityTag>,
    },
    Delete {
        address: ItemAddress,
        etag: Option<EntityTag>,
    },
    ReadMany {
        container: Arc<ContainerLink>,
        items: Vec<(PartitionKey, ItemId)>,
        session_token: Option<ClientSessionToken>,
    },
    DeletePartition {
        container: Arc<ContainerLink>,
        partition_key: PartitionKey,
    },
    Batch {
        container: Arc<ContainerLink>,
        partition_key: PartitionKey,
        entries: Vec<BatchItemOperation>,
    },
    Query {
        container: Arc<ContainerLink>,
        text: QueryText,
        scope: QueryScope,
        page: QueryPageOptions,
    },
    ReadChanges {
        container: Arc<ContainerLink>,
        feed_range: FeedRange,
        mode: ChangeFeedMode,
        start: ChangeStart,
        items_max: Option<usize>,
    },
    FeedRanges {
        container: Arc<ContainerLink>,
    },
}

impl BackendRequest {
    /// The name in traces and in fault plans.
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

    /// Continues a query where a page of it ended.
    pub(crate) fn continue_from(&mut self, token: String) {
        if let Self::Query { page, .. } = self {
            page.continuation = Some(token);
        }
    }

    /// The names of the database and the container, for traces.
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
            Self::Create { address, .. }
            | Self::Read { address, .. }
            | Self::Replace { address, .. }
            | Self::Upsert { address, .. }
            | Self::Patch { address, .. }
            | Self::Delete { address, .. } => &address.container,
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

    /// Whether the request may be sent again when it is unknown whether it was executed. A patch may increment a
    /// number, and after a batch there is no single item to compare with, so the caller has to decide about those.
    pub(crate) fn is_repeatable(&self) -> bool {
        // A create that was executed answers a conflict the second time, and a delete "not found"; `recover`
        // decides whether that was its own attempt.
        !matches!(self, Self::Patch { .. } | Self::Batch { .. })
    }

    /// Whether the request only reads.
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
