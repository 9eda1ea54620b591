//! The requests of the engine: one plain struct per operation, and the options that several of them share.
//!
//! Each operation carries exactly its own fields and is the argument of the `Engine` method of the same name. Does not
//! own the change feed request (`change_feed`) or the query request (`query`).

use model::{
    ConsistencyLevel, ContainerId, ContainerProperties, DatabaseId, DatabaseProperties,
    EffectivePartitionKey, FeedRange, IndexingDirective, ItemId, MeasuredJson, PartitionKey, Patch,
    Precondition, SessionToken, Throughput,
};

/// The ids of a container and its database.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContainerLink {
    /// The database.
    pub database: DatabaseId,
    /// The container.
    pub container: ContainerId,
}

impl ContainerLink {
    /// Validates both ids.
    ///
    /// # Errors
    /// [`model::ValidationError`] if an id is not valid.
    pub fn new(database: &str, container: &str) -> model::Result<Self> {
        Ok(Self { database: DatabaseId::new(database)?, container: ContainerId::new(container)? })
    }
}

impl std::fmt::Display for ContainerLink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.database, self.container)
    }
}

/// The owner of provisioned throughput.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThroughputOwner {
    /// Shared by the containers of a database.
    Database(DatabaseId),
    /// Dedicated to a container.
    Container(ContainerLink),
}

/// Options of a read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The read must not return a state older than this token.
    pub session_token: Option<SessionToken>,
    /// Return "not modified" if the item still has this etag.
    pub precondition: Option<Precondition>,
    /// The consistency level, if weaker than that of the account.
    pub consistency: Option<ConsistencyLevel>,
    /// Whether the response explains its charge.
    pub explain_charge: bool,
}

/// Options of an item write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// Write only if the item still has this etag.
    pub precondition: Option<Precondition>,
    /// Whether this item is indexed, if the indexing policy leaves it to the request.
    pub indexing: IndexingDirective,
    /// Whether the response explains its charge.
    pub explain_charge: bool,
    /// The triggers that run with the write.
    pub triggers: TriggerNames,
}

/// The triggers of a write, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TriggerNames {
    /// The one that runs before the write.
    pub before: Vec<String>,
    /// The one that runs after the write.
    pub after: Vec<String>,
}

impl TriggerNames {
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

/// Where a paged read continues, and the size of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageOptions {
    /// The maximum number of items of a page; the service's default if absent.
    pub items_max: Option<usize>,
    /// The continuation token of the page before.
    pub continuation: Option<String>,
}

/// Creates a database.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateDatabase {
    /// Its properties.
    pub properties: DatabaseProperties,
    /// Throughput shared by its containers.
    pub throughput: Option<Throughput>,
}

/// Creates a container.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateContainer {
    /// The database.
    pub database: DatabaseId,
    /// Its properties.
    pub properties: ContainerProperties,
    /// Dedicated throughput. Without it the container shares that of its database, or gets the minimum.
    pub throughput: Option<Throughput>,
}

/// Replaces the properties of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaceContainer {
    /// The container.
    pub link: ContainerLink,
    /// The new properties; partition key and unique keys cannot change.
    pub properties: ContainerProperties,
    /// Replace only if the container still has this etag.
    pub precondition: Option<Precondition>,
}

/// Creates an item; an id that exists in its logical partition is a conflict.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateItem {
    /// The container.
    pub container: ContainerLink,
    /// If given, must equal the partition key of the item.
    pub partition_key: Option<PartitionKey>,
    /// The item.
    pub item: MeasuredJson,
    /// Options.
    pub options: WriteOptions,
}

/// Creates or replaces an item.
#[derive(Clone, Debug, PartialEq)]
pub struct UpsertItem {
    /// The container.
    pub container: ContainerLink,
    /// If given, must equal the partition key of the item.
    pub partition_key: Option<PartitionKey>,
    /// The item.
    pub item: MeasuredJson,
    /// Options.
    pub options: WriteOptions,
}

/// Replaces an item that exists.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaceItem {
    /// The container.
    pub container: ContainerLink,
    /// If given, must equal the partition key of the item.
    pub partition_key: Option<PartitionKey>,
    /// The id; the item must contain the same.
    pub id: ItemId,
    /// The new item.
    pub item: MeasuredJson,
    /// Options.
    pub options: WriteOptions,
}

/// Changes parts of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchItem {
    /// The container.
    pub container: ContainerLink,
    /// The logical partition.
    pub partition_key: PartitionKey,
    /// The item.
    pub id: ItemId,
    /// The patch operations, with an optional condition.
    pub patch: Patch,
    /// Options.
    pub options: WriteOptions,
}

/// Deletes an item.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteItem {
    /// The container.
    pub container: ContainerLink,
    /// The logical partition.
    pub partition_key: PartitionKey,
    /// The item.
    pub id: ItemId,
    /// Options.
    pub options: WriteOptions,
}

/// Reads one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadItem {
    /// The container.
    pub container: ContainerLink,
    /// The logical partition.
    pub partition_key: PartitionKey,
    /// The item.
    pub id: ItemId,
    /// Options.
    pub options: ReadOptions,
}

/// Reads several items by partition key and id; those that do not exist are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadManyItems {
    /// The container.
    pub container: ContainerLink,
    /// The items.
    pub items: Vec<(PartitionKey, ItemId)>,
    /// Options.
    pub options: ReadOptions,
}

/// Lists the items of a feed range, page by page.
#[derive(Clone, Debug, PartialEq)]
pub struct ListItems {
    /// The container.
    pub container: ContainerLink,
    /// The part of the container.
    pub feed_range: FeedRange,
    /// The page.
    pub page: PageOptions,
    /// Options.
    pub options: ReadOptions,
}

/// Deletes every item of one logical partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteByPartitionKey {
    /// The container.
    pub container: ContainerLink,
    /// The logical partition.
    pub partition_key: PartitionKey,
}

/// One operation of a transactional batch.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchOperation {
    /// Creates an item.
    Create {
        /// The item.
        item: MeasuredJson,
        /// Options.
        options: WriteOptions,
    },
    /// Creates or replaces an item.
    Upsert {
        /// The item.
        item: MeasuredJson,
        /// Options.
        options: WriteOptions,
    },
    /// Replaces an item.
    Replace {
        /// The id.
        id: ItemId,
        /// The new item.
        item: MeasuredJson,
        /// Options.
        options: WriteOptions,
    },
    /// Changes parts of an item.
    Patch {
        /// The id.
        id: ItemId,
        /// The patch operations.
        patch: Patch,
        /// Options.
        options: WriteOptions,
    },
    /// Deletes an item.
    Delete {
        /// The id.
        id: ItemId,
        /// Options.
        options: WriteOptions,
    },
    /// Reads an item as the batch so far has left it.
    Read {
        /// The id.
        id: ItemId,
        /// Return "not modified" if it still has this etag.
        precondition: Option<Precondition>,
    },
}

/// Several item operations in one logical partition, all or nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionalBatch {
    /// The container.
    pub container: ContainerLink,
    /// The logical partition of all items.
    pub partition_key: PartitionKey,
    /// The operations, in order.
    pub operations: Vec<BatchOperation>,
}

/// Splits a physical partition in two while it is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitPartition {
    /// The container.
    pub container: ContainerLink,
    /// Number of the physical partition.
    pub partition: u32,
    /// The epk to split at; the middle if absent.
    pub at: Option<EffectivePartitionKey>,
}

/// Merges two adjacent physical partitions while they are in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePartitions {
    /// The container.
    pub container: ContainerLink,
    /// Numbers of the two physical partitions.
    pub partitions: (u32, u32),
}

/// Runs a stored procedure on one logical partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecuteProcedure {
    /// The container.
    pub container: ContainerLink,
    /// The procedure, by id or resource id.
    pub procedure: String,
    /// The logical partition.
    pub partition_key: PartitionKey,
    /// Its arguments, a JSON array.
    pub arguments: String,
    /// Whether its log is wanted.
    pub wants_log: bool,
}
