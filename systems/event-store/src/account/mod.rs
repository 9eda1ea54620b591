//! The provider on an account: embedded, a server of ours, or Azure Cosmos DB.
//!
//! ```text
//! append: reserve the heads of all tags ─► check ─► events, the last one commits ─► rows and heads, tag by tag
//! ```
//!
//! An account has no transaction over several partitions. The append has happened when its last event is created;
//! whoever meets a reservation that has expired completes it or cancels it. `settle` has the rule.

mod admin;
mod append;
mod containers;
mod documents;
mod feed;
mod migrate;
mod queries;
mod read;
mod reserve;
mod settle;
mod states;
mod storage;
mod visibility;

pub use containers::{
    AccountStoreOptions, CosmosContainerResolver, OptionsContainerResolver, ResolvedContainer,
};
pub use migrate::{LegacyMigration, MigrationCounts, MigrationReport};
pub use storage::{
    AccountStorage, cosmos_db, cosmos_db_full, cosmos_db_multi_tenant, cosmos_db_with_factories,
};
