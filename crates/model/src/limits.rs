//! The limits of the service, each with its unit.
//!
//! Owns the numbers. Does not enforce them: the type or operation concerned does.

/// Maximum size of one item as JSON text, and of one request body: 2 MB.
pub const ITEM_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Levels of nesting in an item.
pub const NESTING_LEVELS_MAX: usize = 128;
/// Characters of the id of a database, a container or an item.
pub const NAME_CHARACTERS_MAX: usize = 255;
/// Bytes of one component of a partition key.
pub const PARTITION_KEY_BYTES_MAX: usize = 2048;
/// Paths of a hierarchical partition key.
pub const PARTITION_KEY_PATHS_MAX: usize = 3;
/// Operations of a transactional batch.
pub const TRANSACTIONAL_BATCH_OPERATIONS_MAX: usize = 100;
/// Operations of one patch.
pub const PATCH_OPERATIONS_MAX: usize = 10;
/// Items per page when the caller sets no limit.
pub const PAGE_ITEMS_DEFAULT: usize = 1000;
/// Bytes of a page: 4 MB.
pub const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Included or excluded paths of one indexing policy.
pub const INDEX_PATHS_MAX: usize = 1500;
/// Properties of one composite index.
pub const COMPOSITE_INDEX_PROPERTIES_MAX: usize = 8;
/// Composite indexes of one container.
pub const COMPOSITE_INDEXES_MAX: usize = 100;
/// Computed properties of one container.
pub const COMPUTED_PROPERTIES_MAX: usize = 20;
/// Unique keys of one container.
pub const UNIQUE_KEYS_MAX: usize = 10;
/// Paths of one unique key.
pub const UNIQUE_KEY_PATHS_MAX: usize = 16;
/// Databases of an account.
pub const DATABASES_MAX: usize = 1000;
/// Dimensions of a vector under a flat index.
pub const VECTOR_DIMENSIONS_FLAT_MAX: u32 = 505;
/// Dimensions of a vector under any other index.
pub const VECTOR_DIMENSIONS_MAX: u32 = 4096;
/// Lowest manual throughput, in request units per second.
pub const MANUAL_THROUGHPUT_MIN: u32 = 400;
/// Lowest autoscale maximum, in request units per second.
pub const AUTOSCALE_THROUGHPUT_MIN: u32 = 1000;
/// Highest throughput of one container or database, in request units per second.
pub const THROUGHPUT_MAX: u32 = 1_000_000;
/// Highest throughput of one physical partition, in request units per second.
pub const THROUGHPUT_PER_PARTITION_MAX: u32 = 10_000;
/// Throughput of one physical partition at creation, in request units per second.
pub const THROUGHPUT_PER_PARTITION_AT_CREATION: u32 = 6000;
