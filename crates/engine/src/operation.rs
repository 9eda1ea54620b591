//! The requests of the engine: one plain struct per operation, and the options that several of them share.
//!
//! Each operation carries exactly its own fields and is the argument of the `Engine` method of the same name. Does not
//! own the change feed request (`change_feed`) or the query request (`query`).

use model::{
    ConsistencyLevel, ContainerId, ContainerProperties, DatabaseId, DatabaseProperties,
    EffectivePartitionKey, FeedRange, IndexingDirective, ItemId, MeasuredJson, PartitionKey, Patch,
    Precondition, SessionToken, Throughput,
};

/// The names that lead to a container.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContainerLink {
    /// The database.
    pub database: DatabaseId,
    /// The container.
    pub container: ContainerId,
}

impl ContainerLink {
    /// Checks both names.
    ///
    /// # Errors
    /// [`model::ValidationError`] when a name breaks the rules for names.
    pub fn new(database: &str, container: &str) -> model::Result<Self> {
        Ok(Self { database: DatabaseId::new(database)?, container: ContainerId::new(container)? })
    }
}

impl std::fmt::Display for ContainerLink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.database, self.container)
    }
}

/// What throughput belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThroughputOwner {
    /// Shared by the containers of a database.
    Database(DatabaseId),
    /// Dedicated to a container.
    Container(ContainerLink),
}

/// Passed with every read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The read must see at least what this token has seen.
    pub session_token: Option<SessionToken>,
    /// Answer "not modified" when the item still has this etag.
    pub precondition: Option<Precondition>,
    /// A weaker level than the account's, or the same.
    pub consistency: Option<ConsistencyLevel>,
    /// Whether the outcome explains its charge.
    pub explain_charge: bool,
}

/// Passed with every write of an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// Write only if the item still has this etag.
    pub precondition: Option<Precondition>,
    /// Whether this item is indexed, for policies that leave it to the request.
    pub indexing: IndexingDirective,
    /// Whether the outcome explains its charge.
    pub explain_charge: bool,
}

/// Where a multi-page read goes on and how much it returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageOptions {
    /// Items of a page at most; the service's default when absent.
    pub items_max: Option<usize>,
    /// The token of the page before.
    pub continuation: Option<String>,
}

/// Creates a database.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateDatabase {
    /// What to create.
    pub properties: DatabaseProperties,
    /// Throughput shared by its containers.
    pub throughput: Option<Throughput>,
}

/// Creates a container.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateContainer {
    /// Where.
    pub database: DatabaseId,
    /// What to create.
    pub properties: ContainerProperties,
    /// Dedicated throughput; without it the database's is shared, or the minimum is taken.
    pub throughput: Option<Throughput>,
}

/// Replaces the properties of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaceContainer {
    /// Which.
    pub link: ContainerLink,
    /// The new properties; partition key and unique keys must be the old ones.
    pub properties: ContainerProperties,
    /// Replace only if the container still has this etag.
    pub precondition: Option<Precondition>,
}

/// Creates an item; an id taken in its logical partition is a conflict.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateItem {
    /// Where.
    pub container: ContainerLink,
    /// Must equal the item's own when given.
    pub partition_key: Option<PartitionKey>,
    /// The item.
    pub item: MeasuredJson,
    /// Options.
    pub options: WriteOptions,
}

/// Creates or replaces an item.
#[derive(Clone, Debug, PartialEq)]
pub struct UpsertItem {
    /// Where.
    pub container: ContainerLink,
    /// Must equal the item's own when given.
    pub partition_key: Option<PartitionKey>,
    /// The item.
    pub item: MeasuredJson,
    /// Options.
    pub options: WriteOptions,
}

/// Replaces an item that exists.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaceItem {
    /// Where.
    pub container: ContainerLink,
    /// Must equal the item's own when given.
    pub partition_key: Option<PartitionKey>,
    /// Which; the item's own id must be the same.
    pub id: ItemId,
    /// The new item.
    pub item: MeasuredJson,
    /// Options.
    pub options: WriteOptions,
}

/// Changes parts of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchItem {
    /// Where.
    pub container: ContainerLink,
    /// Which logical partition.
    pub partition_key: PartitionKey,
    /// Which item.
    pub id: ItemId,
    /// What to change, under which condition.
    pub patch: Patch,
    /// Options.
    pub options: WriteOptions,
}

/// Deletes an item.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteItem {
    /// Where.
    pub container: ContainerLink,
    /// Which logical partition.
    pub partition_key: PartitionKey,
    /// Which item.
    pub id: ItemId,
    /// Options.
    pub options: WriteOptions,
}

/// Reads one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadItem {
    /// Where.
    pub container: ContainerLink,
    /// Which logical partition.
    pub partition_key: PartitionKey,
    /// Which item.
    pub id: ItemId,
    /// Options.
    pub options: ReadOptions,
}

/// Reads several items by partition key and id; those that do not exist are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadManyItems {
    /// Where.
    pub container: ContainerLink,
    /// Which.
    pub items: Vec<(PartitionKey, ItemId)>,
    /// Options.
    pub options: ReadOptions,
}

/// Lists the items of a feed range, page by page.
#[derive(Clone, Debug, PartialEq)]
pub struct ListItems {
    /// Where.
    pub container: ContainerLink,
    /// Which part of the container.
    pub feed_range: FeedRange,
    /// Which page.
    pub page: PageOptions,
    /// Options.
    pub options: ReadOptions,
}

/// Deletes every item of one logical partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteByPartitionKey {
    /// Where.
    pub container: ContainerLink,
    /// Which logical partition.
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
        /// Which.
        id: ItemId,
        /// The new item.
        item: MeasuredJson,
        /// Options.
        options: WriteOptions,
    },
    /// Changes parts of an item.
    Patch {
        /// Which.
        id: ItemId,
        /// What to change.
        patch: Patch,
        /// Options.
        options: WriteOptions,
    },
    /// Deletes an item.
    Delete {
        /// Which.
        id: ItemId,
        /// Options.
        options: WriteOptions,
    },
    /// Reads an item as the batch has left it so far.
    Read {
        /// Which.
        id: ItemId,
        /// Answer "not modified" when it still has this etag.
        precondition: Option<Precondition>,
    },
}

/// Several item operations in one logical partition, all or nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionalBatch {
    /// Where.
    pub container: ContainerLink,
    /// The one logical partition.
    pub partition_key: PartitionKey,
    /// What to do, in order.
    pub operations: Vec<BatchOperation>,
}

/// Splits a physical partition in two while it is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitPartition {
    /// Where.
    pub container: ContainerLink,
    /// Number of the physical partition.
    pub partition: u32,
    /// Where to cut; the middle when absent.
    pub at: Option<EffectivePartitionKey>,
}

/// Makes one physical partition of two neighbours while they are in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePartitions {
    /// Where.
    pub container: ContainerLink,
    /// Numbers of the two physical partitions.
    pub partitions: (u32, u32),
}
