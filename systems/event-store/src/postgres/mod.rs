//! The provider on PostgreSQL: one transaction per append.
//!
//! ```text
//! append: lock the tags ─► check ─► events and rows ─► notify ─► commit
//! ```
//!
//! Appends of one tag run one after the other, by advisory locks that end with the transaction. Their positions are
//! made under the locks and lie behind the versions of all their tags, so in one tag the order of positions is the
//! order of commits. Over several tags it is not: `feed` says how a reader of everything leaves out nothing.

mod admin;
mod append;
mod listen;
mod read;
mod row_security;
mod schema;
mod sql;
mod states;
mod storage;

pub use schema::{PostgresSchema, SchemaReport};
pub use storage::{
    PostgresOptions, PostgresStorage, postgres_db, postgres_db_full, postgres_db_multi_tenant,
    postgres_db_with_factories,
};
