//! A [`storage::Store`] on PostgreSQL, and on Citus with the shard as distribution column.
//!
//! Owns a schema of a database: its tables, its commit function, its format version and the lease of the process that
//! uses it. A commit is one statement, one round trip: the function locks the row of the shard, checks the guards,
//! assigns the stamps and writes. Does not own any meaning: shards, spaces and keys are bytes here, as `storage`
//! defines them. `docs/DESIGN.md` describes the tables, `docs/guide/scale-out.md` how to operate them.

mod commit;
mod connect;
mod connections;
mod error;
mod lease;
mod location;
mod open;
mod read;
mod schema;
mod settings;
mod snapshot;
mod sql;
mod store;

pub use lease::StoreOwner;
pub use location::PostgresLocation;
pub use schema::FORMAT_VERSION;
pub use settings::{Distribution, PostgresDurability, PostgresSettings};
pub use store::PostgresStore;
