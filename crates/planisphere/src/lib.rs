//! The embedded database as one dependency: a curated list of re-exports. The README is the introduction.
#![doc = include_str!("../README.md")]

// Open an account, and handles to its databases and containers.
pub use client::{Account, Container, Database, StorageLocation};

// Items, queries, batches and their responses.
pub use client::{
    AccountResponse, ActivityId, BatchItemResult, ClientSessionToken, EntityTag, Item,
    ItemReadOptions, Page, Query, QueryPageOptions, QueryText,
};

// The change feed, and the processor that shares it between instances.
pub use client::processor;
pub use client::{
    Change, ChangeFeed, ChangeFeedMode, ChangeOperation, ChangePage, ChangeStart, FeedRange,
};

// Errors and retries; injected faults, a clock and randomness for tests.
pub use client::{
    Clock, Environment, Error, ErrorKind, Fault, Faults, Randomness, Result, RetryPolicy, Spawner,
    SystemClock, TravellingClock,
};

// Accounts behind an endpoint.
#[cfg(feature = "connect")]
pub use client::{Credential, Endpoint};

// Properties of resources, partition keys, patches and JSON values.
pub use model::{
    ChangeFeedPolicy, CompositeIndex, ComputedProperty, ContainerId, ContainerProperties,
    DatabaseId, IndexingMode, IndexingPolicy, Json, Number, Object, PartitionKey,
    PartitionKeyDefinition, PartitionKeyValue, Patch, PatchOperation, PatchPath, PropertyPath,
    Throughput, TimeToLive, TimestampMs, TimestampSeconds, UniqueKey, ValidationError,
};

/// The engine below an account: settings, maintenance, verification, and operations without a serde type.
///
/// Most programs need only [`Account`]. [`Account::embedded`] accepts an engine that was opened with other settings.
pub mod engine {
    pub use ::engine::{
        AutoSplit, DueSplits, Engine, EngineSettings, Environment, Response, SPACES,
        ScriptSettings, operation, response,
    };
    /// Runs scripts: give it to an engine by [`Environment::with_scripts`].
    #[cfg(feature = "scripts")]
    pub use javascript::JavaScript;
    pub use storage_lsm::{Durability, LsmSettings, LsmStore};
}

/// The program in the README of the repository compiles as printed.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;

/// The programs in the guide for Rust developers compile as printed.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust-developer.md")]
struct RustDeveloperGuide;
