//! What an operator may choose.
//!
//! Owns the values and their defaults. Does not own the address: see `location`.

use std::time::Duration;

/// How a store uses its database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresSettings {
    /// When a commit is acknowledged.
    pub durability: PostgresDurability,
    /// Connections that point reads and small pages share; their statements are pipelined.
    pub shared_connections: usize,
    /// Connections for commits and large pages, one statement at a time.
    pub exclusive_connections: usize,
    /// Connections for snapshots, each held as long as its snapshot.
    pub snapshot_connections: usize,
    /// The server ends a statement after this time.
    pub statement_timeout: Duration,
    /// How long a call waits for a connection, also while the server restarts or fails over.
    pub connect_timeout: Duration,
    /// How long the lease of this process is valid without renewal.
    pub lease: Duration,
    /// Where clients reach this process, for others that find the store in use.
    pub address: String,
    /// Whether a store is created in a database that has none.
    pub creates: bool,
    /// Whether the tables are distributed.
    pub distribution: Distribution,
}

/// When a commit is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostgresDurability {
    /// When the server has it on disk, and on its synchronous replicas if it has any.
    Synced,
    /// Before it is on disk: a crash of the server may lose the last commits, but never a part of one.
    Relaxed,
}

/// Where the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// On one server, with replicas or without.
    OneServer,
    /// On the workers of Citus, by shard.
    Citus,
}

impl Default for PostgresSettings {
    fn default() -> Self {
        Self {
            durability: PostgresDurability::Synced,
            shared_connections: 4,
            exclusive_connections: 16,
            snapshot_connections: 16,
            statement_timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            lease: Duration::from_secs(6),
            address: String::new(),
            creates: true,
            distribution: Distribution::OneServer,
        }
    }
}
