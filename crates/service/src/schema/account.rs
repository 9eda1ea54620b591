//! The account that the databases of a schema are in, for exports that create it.
//!
//! Owns its properties. They are exported, and not planned: an account is created by an operator of the cloud service,
//! and neither an embedded engine nor our server has any of them.

use model::ConsistencyLevel;

/// An account of the cloud service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSchema {
    /// The consistency of requests that name none.
    pub consistency: ConsistencyLevel,
    /// Its only region.
    pub region: String,
    /// Whether its replicas are in several zones of the region.
    pub is_zone_redundant: bool,
    /// How it is backed up.
    pub backup: AccountBackup,
    /// The subnet of its private endpoint. With one, and only then, its public network access is off.
    pub private_endpoint_subnet: Option<String>,
}

/// How an account is backed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountBackup {
    /// It can be restored to any second of the last 30 days.
    ContinuousThirtyDays,
    /// Copies in the same region.
    PeriodicLocal {
        /// Minutes between two copies.
        interval_minutes: u32,
        /// Hours that a copy is kept.
        retention_hours: u32,
    },
}
